package e2e

import "testing"

// slots bounds how many hubs run at once: each is a Postgres, a hub and an agentd.
var slots = make(chan struct{}, 2)

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
