package local

import (
	"testing"

	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/vpshosttest"
)

func installed(t *testing.T) (*Host, string, string) {
	t.Helper()
	id := newID()
	h, dir := open(t)
	allocate(t, h, id)
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
		t.Fatal(err)
	}
	return h, dir, id
}

func TestPower_contract(t *testing.T) {
	t.Parallel()
	h, _, id := installed(t)
	up(t, h, id, process{})
	vpshosttest.Machine(t, h, id, func() int { return 0 })
}

// TestPower_off: a server that was switched off stays off, whoever watched it and whatever hub comes next; switched on, it is back.
func TestPower_off(t *testing.T) {
	t.Parallel()
	h, dir, id := installed(t)
	_, was := up(t, h, id, process{})
	if _, err := h.Switch(t.Context(), machine.Ask{ServerID: id}, machine.Off); err != nil {
		t.Fatal(err)
	}
	h.watches.Wait() // nobody keeps it running any more
	next := reopen(t, dir)
	if err := next.Adopt(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, host := range []*Host{h, next} {
		if s, err := host.State(t.Context(), id); err != nil || s.Power != machine.PowerOff {
			t.Fatalf("it is %q, %v", s.Power, err)
		}
	}
	if _, err := next.Switch(t.Context(), machine.Ask{ServerID: id}, machine.On); err != nil {
		t.Fatal(err)
	}
	_, back := up(t, next, id, was)
	if _, err := next.Switch(t.Context(), machine.Ask{ServerID: id}, machine.Reset); err != nil {
		t.Fatal(err)
	}
	up(t, next, id, back)
}
