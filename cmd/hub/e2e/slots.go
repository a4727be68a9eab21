package e2e

import "testing"

// slots bounds how many hubs run at once: each is a hub, an agentd and at times a Postgres. Most of a story is waiting, of some
// for half a minute, so that more of them keep two processors busy.
var slots = make(chan struct{}, 3)

// slot takes one of them for the test.
func slot(t *testing.T) {
	t.Helper()
	select {
	case slots <- struct{}{}:
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
	t.Cleanup(func() { <-slots })
}
