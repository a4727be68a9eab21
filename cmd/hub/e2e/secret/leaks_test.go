package secret

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gatehouse/agentd/leakscan"
	"gatehouse/cmd/hub/e2e"
)

// wantNothing searches what was sent to the hub, what it remembers, what it stores, what it and the server wrote, and
// the server's own database.
func (w *tap) wantNothing(t *testing.T, h *e2e.Hub, values map[string]string) {
	t.Helper()
	requests, messages := w.everything(t)
	if len(requests) < 50 || len(messages) < 20 {
		t.Fatalf("only %d pieces of requests and %d messages were heard", len(requests), len(messages))
	}
	var canaries []leakscan.Canary
	for name, value := range values {
		canaries = append(canaries, leakscan.Canary{Name: name, Value: value})
		for how, n := range inMemory(t, h.PID(), formsOf(value)) {
			t.Errorf("%s stands %d times in the memory of the hub (%s)", name, n, how)
		}
	}
	s := leakscan.New(canaries...)
	found := h.Scan(t, s)
	for _, sent := range slices.Concat(requests, messages) {
		found = append(found, s.Bytes("what was sent to the hub", sent)...)
	}
	for _, path := range []string{h.Server("state", "agentd.db"), h.Server("state", "agentd.db-wal")} {
		b, err := os.ReadFile(filepath.Clean(path))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for name, value := range values {
			if bytes.Contains(b, []byte(value)) {
				t.Errorf("%s stands in %s", name, filepath.Base(path))
			}
		}
	}
	for _, leak := range found {
		t.Error(leak)
	}
}
