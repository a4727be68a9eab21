package netcup_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost/netcup"
	"gatehouse/app/provider/vpshost/netcup/netcuptest"
	"gatehouse/app/provider/vpshost/vpshosttest"
	"gatehouse/app/providers"
)

// allocated is a machine of a server whose new system is there.
func allocated(t *testing.T) (b *bed, server string) {
	t.Helper()
	b, server = newBed(t, 1), newID()
	must(t, b.host.Allocate(t.Context(), spec(server)))
	m, err := b.machines.OfServer(t.Context(), server)
	must(t, err)
	ended(t, b.host, server, m.Task)
	return b, server
}

func ended(t *testing.T, h *netcup.Host, server, task string) {
	t.Helper()
	for range 100 {
		done, err := h.Ended(t.Context(), server, task)
		must(t, err)
		if done {
			return
		}
	}
	t.Fatalf("task %q never ends", task)
}

func TestMachine_contract(t *testing.T) {
	t.Parallel()
	b, server := allocated(t)
	vpshosttest.Machine(t, b.host, server, b.panel.Begun)
}

// TestSnapshots_ofOthers: a machine is free when nothing of the customer before is left on it, and the next one sees and restores no
// snapshot that is not his.
func TestSnapshots_ofOthers(t *testing.T) {
	t.Parallel()
	b, one := allocated(t)
	for _, name := range []string{"gatehouse-daily-2026-01-01", "gatehouse-hand-1"} {
		mark, err := b.host.Mark(t.Context(), one)
		must(t, err)
		task, err := b.host.Take(t.Context(), machine.Ask{ServerID: one, Mark: mark, Name: name})
		must(t, err)
		ended(t, b.host, one, task)
	}
	all, err := b.host.Snapshots(t.Context(), one)
	if err != nil || len(all) != 2 || !all[0].Daily() || all[1].Name != "gatehouse-hand-1" {
		t.Fatalf("%+v, %v", all, err)
	}
	_, err = b.machines.Change(t.Context(), b.panel.Servers()[0].ID, func(_ context.Context, m *providers.Machine) (*audit.Entry, error) {
		m.ServerID = newID() // as if the machine had come to another server without being wiped
		return nil, nil
	})
	must(t, err)
	now, err := b.machines.List(t.Context())
	must(t, err)
	if theirs, err := b.host.Snapshots(t.Context(), now[0].ServerID); err != nil || len(theirs) > 0 {
		t.Errorf("the next server sees %+v, %v", theirs, err)
	}
	if _, err := b.host.Restore(t.Context(), machine.Ask{ServerID: now[0].ServerID, Snapshot: all[0].Place}); err == nil {
		t.Error("the next server restores them")
	}
	must(t, b.host.Release(t.Context(), now[0].ServerID))
	if none, err := b.host.Snapshots(t.Context(), one); err != nil || len(none) > 0 {
		t.Errorf("without a machine: %+v, %v", none, err)
	}
	b.wiped()
	if left := b.panel.Servers()[0].Copies; b.states()[providers.Free] != 1 || len(left) > 0 {
		t.Errorf("now %v, with %+v", b.states(), left)
	}
}

// TestSnapshots_oldNames: what hubs of before made for this server, without its id in the name, is seen and deleted; what stood there
// before the machine was this server's is not.
func TestSnapshots_oldNames(t *testing.T) {
	t.Parallel()
	b, one := allocated(t)
	m, err := b.machines.OfServer(t.Context(), one)
	must(t, err)
	for name, made := range map[string]time.Time{
		"gatehouse-daily-2026-01-02": m.Since.Add(time.Minute), "gatehouse-daily-2026-01-01": m.Since.Add(-time.Minute),
		"gatehouse-" + newID() + "-daily-2026-01-02": m.Since.Add(time.Minute), "by hand": m.Since.Add(time.Minute),
	} {
		b.panel.Leave(m.ID, name, made)
	}
	all, err := b.host.Snapshots(t.Context(), one)
	if err != nil || len(all) != 1 || !all[0].Daily() || all[0].Name != "gatehouse-daily-2026-01-02" {
		t.Fatalf("%+v, %v", all, err)
	}
	mark, err := b.host.Mark(t.Context(), one)
	must(t, err)
	task, err := b.host.Drop(t.Context(), machine.Ask{ServerID: one, Mark: mark, Snapshot: all[0].Place})
	must(t, err)
	ended(t, b.host, one, task)
	if all, err = b.host.Snapshots(t.Context(), one); err != nil || len(all) != 0 || len(b.panel.Servers()[0].Copies) != 3 {
		t.Errorf("then %+v, %v, with %+v", all, err, b.panel.Servers()[0].Copies)
	}
}

// TestMachine_answerLost: what was done although its answer was lost is found by the next try with the same mark, and not done again.
func TestMachine_answerLost(t *testing.T) {
	t.Parallel()
	type ask = machine.Ask
	for what, c := range map[string]struct {
		method string
		do     func(*netcup.Host, ask) (string, error)
	}{
		"reset":     {http.MethodPatch, func(h *netcup.Host, a ask) (string, error) { return h.Switch(t.Context(), a, machine.Reset) }},
		"off":       {http.MethodPatch, func(h *netcup.Host, a ask) (string, error) { return h.Switch(t.Context(), a, machine.Off) }},
		"rescue":    {http.MethodPost, func(h *netcup.Host, a ask) (string, error) { return h.Rescue(t.Context(), a, true) }},
		"reinstall": {http.MethodPost, func(h *netcup.Host, a ask) (string, error) { return h.Reinstall(t.Context(), a) }},
		"snapshot":  {http.MethodPost, func(h *netcup.Host, a ask) (string, error) { return h.Take(t.Context(), a) }},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b, server := allocated(t)
			mark, err := b.host.Mark(t.Context(), server)
			must(t, err)
			before := b.panel.Begun()
			b.panel.Fail(netcuptest.Fault{Method: c.method, Path: "/servers/", After: true})
			a := ask{ServerID: server, Mark: mark, Name: "gatehouse-hand-1"}
			if task, err := c.do(b.host, a); err == nil {
				t.Fatalf("a lost answer is %q", task)
			}
			task, err := c.do(b.host, a)
			if err != nil || task == "" || b.panel.Begun() != before+1 {
				t.Fatalf("task %q, %v, begun %d times", task, err, b.panel.Begun()-before)
			}
			ended(t, b.host, server, task)
		})
	}
}
