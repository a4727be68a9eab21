package hetzner_test

import (
	"errors"
	"net/http"
	"testing"

	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/app/provider/vpshost/hetzner/hetznertest"
	"gatehouse/app/provider/vpshost/vpshosttest"
)

func allocated(t *testing.T) (*hetznertest.Project, *hetzner.Host) {
	t.Helper()
	p := hetznertest.New(t)
	h := host(t, p, notes{})
	if err := h.Allocate(t.Context(), spec("s1")); err != nil {
		t.Fatal(err)
	}
	return p, h
}

func TestMachine_contract(t *testing.T) {
	t.Parallel()
	p, h := allocated(t)
	vpshosttest.Machine(t, h, "s1", p.Begun)
}

// TestMachine_answerLost: what was done although its answer was lost is found by the next try with the same mark, and not done again.
func TestMachine_answerLost(t *testing.T) {
	t.Parallel()
	for what, do := range map[string]func(*hetzner.Host, machine.Ask) (string, error){
		"reset_server":    func(h *hetzner.Host, a machine.Ask) (string, error) { return h.Switch(t.Context(), a, machine.Reset) },
		"shutdown_server": func(h *hetzner.Host, a machine.Ask) (string, error) { return h.Switch(t.Context(), a, machine.Off) },
		"enable_rescue":   func(h *hetzner.Host, a machine.Ask) (string, error) { return h.Rescue(t.Context(), a, true) },
		"rebuild_server":  func(h *hetzner.Host, a machine.Ask) (string, error) { return h.Reinstall(t.Context(), a) },
		"create_image":    func(h *hetzner.Host, a machine.Ask) (string, error) { return h.Take(t.Context(), a) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p, h := allocated(t)
			mark, err := h.Mark(t.Context(), "s1")
			if err != nil {
				t.Fatal(err)
			}
			p.Fail(hetznertest.Fault{Method: http.MethodPost, Path: "/servers/", After: true},
				hetznertest.Fault{
					Method: http.MethodGet, Path: "/servers", Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded",
				})
			a := machine.Ask{ServerID: "s1", Mark: mark, Name: "gatehouse-hand-1", Key: rescueKey}
			if task, err := do(h, a); err == nil {
				t.Fatalf("a lost answer is %q", task)
			}
			task, err := do(h, a)
			if err != nil || task == "" || p.Did(what) != 1 {
				t.Fatalf("task %q, %v, begun %d times", task, err, p.Did(what))
			}
			for done := false; !done; {
				if done, err = h.Ended(t.Context(), "s1", task); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

const rescueKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEgIxC8XWcP1zLyyMoGNgP0G2yUfU8Gr1zBpJ4dsaNZD nobody@example.com"

// TestMachine_refusals: what the provider will not do is said in words, and nothing is tried again.
func TestMachine_refusals(t *testing.T) {
	t.Parallel()
	p, h := allocated(t)
	p.Fail(hetznertest.Fault{Method: http.MethodPost, Path: "/servers/", Status: http.StatusLocked, Code: "protected"},
		hetznertest.Fault{Method: http.MethodPost, Path: "/servers/", Action: true})
	var r machine.Refusal
	a := machine.Ask{ServerID: "s1", Mark: "0"}
	if _, err := h.Reinstall(t.Context(), a); !errors.As(err, &r) {
		t.Errorf("protected: %v", err)
	}
	task, err := h.Reinstall(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Ended(t.Context(), "s1", task); !errors.As(err, &r) {
		t.Errorf("an action that failed: %v", err)
	}
	if _, err := h.Rescue(t.Context(), machine.Ask{ServerID: "s1", Mark: "0", Key: "no key"}, true); !errors.As(err, &r) {
		t.Errorf("no key: %v", err)
	}
}

// TestMachine_systems: the rescue system runs until the machine is started without it, a new system and an old disk are what was
// asked for, and a machine that is given back takes its snapshots along.
func TestMachine_systems(t *testing.T) {
	t.Parallel()
	p, h := allocated(t)
	id := p.Servers()[0].ID
	do := func(task string, err error) {
		t.Helper()
		for done := task == ""; !done && err == nil; {
			done, err = h.Ended(t.Context(), "s1", task)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ask := func(a machine.Ask) machine.Ask {
		t.Helper()
		var err error
		a.ServerID = "s1"
		if a.Mark, err = h.Mark(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
		return a
	}
	do(h.Rescue(t.Context(), ask(machine.Ask{Key: rescueKey}), true))
	if !p.InRescue(id) {
		t.Error("the rescue system does not run")
	}
	do(h.Rescue(t.Context(), ask(machine.Ask{}), false))
	if p.InRescue(id) {
		t.Error("the rescue system runs on")
	}
	do(h.Reinstall(t.Context(), ask(machine.Ask{})))
	if got := p.Built(id); got != "debian-12" {
		t.Errorf("built of %q", got)
	}
	do(h.Take(t.Context(), ask(machine.Ask{Name: "gatehouse-hand-1"})))
	all, err := h.Snapshots(t.Context(), "s1")
	if err != nil || len(all) != 1 || all[0].Size != 2_500_000_000 {
		t.Fatalf("%+v, %v", all, err)
	}
	do(h.Restore(t.Context(), ask(machine.Ask{Snapshot: all[0].Place})))
	if got := p.Built(id); got != all[0].Place {
		t.Errorf("built of %q", got)
	}
	if err := h.Retire(t.Context(), "s1"); err != nil || len(p.Images()) != 0 {
		t.Errorf("%v, left %+v", err, p.Images())
	}
}
