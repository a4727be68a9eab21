package netcup_test

import (
	"net/http"
	"testing"

	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost/netcup"
	"gatehouse/app/provider/vpshost/netcup/netcuptest"
	"gatehouse/app/provider/vpshost/vpshosttest"
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
