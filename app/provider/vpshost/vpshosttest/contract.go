package vpshosttest

import (
	"testing"

	"gatehouse/app/provider/vpshost"
)

// Contract holds a place to what vpshost.Host promises of machines on which nothing was started: each call may be repeated, what
// one server has is not another's, and what is not there is given back without an error. The place has room for two machines in
// region "eu". Held says how many machines the place holds for servers.
func Contract(t *testing.T, h vpshost.Host, held func() int) {
	t.Helper()
	ctx := t.Context()
	const one, two, never = "01980000-0000-7000-8000-000000000001", "01980000-0000-7000-8000-000000000002",
		"01980000-0000-7000-8000-000000000003"
	allocate := func(id, slug string) {
		t.Helper()
		if err := h.Allocate(ctx, vpshost.Spec{ServerID: id, Slug: slug, Plan: "build", Region: "eu"}); err != nil {
			t.Fatalf("%s: allocate %s: %v", h.Name(), slug, err)
		}
	}
	release := func(id string, left int) {
		t.Helper()
		if err := h.Release(ctx, id); err != nil || held() != left {
			t.Fatalf("%s: release %s: %v, %d are held, want %d", h.Name(), id, err, held(), left)
		}
	}
	if h.Name() == "" {
		t.Error("a place has no name")
	}
	allocate(one, "bakery")
	allocate(one, "bakery")
	allocate(two, "florist")
	if held() != 2 {
		t.Fatalf("%s: %d machines are held for two servers", h.Name(), held())
	}
	release(never, 2)
	release(one, 1)
	release(one, 1)
	allocate(one, "bakery") // taken up again
	release(two, 1)
	release(one, 0)
	if err := h.Retire(ctx, never); err != nil {
		t.Errorf("%s: retire what is not there: %v", h.Name(), err)
	}
	if lines, err := h.LastLog(ctx, never, 5); err == nil && len(lines) > 0 {
		t.Errorf("%s: a server that is not there has a log: %q", h.Name(), lines)
	}
}
