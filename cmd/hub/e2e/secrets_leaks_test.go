package e2e

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"gatehouse/agentd/leakscan"
)

// leaks is what s finds in everything that the hub stores, that it and the server log, and that was mailed.
func (h *hub) leaks(t *testing.T, s *leakscan.Scanner) []leakscan.Leak {
	t.Helper()
	found := append(h.tableLeaks(t, s), s.Bytes("the hub's output", []byte(h.Output()))...)
	looked := 0
	err := filepath.WalkDir(h.Dir, func(path string, d fs.DirEntry, err error) error {
		mail := strings.HasPrefix(path, filepath.Join(h.Dir, "mail")+"/")
		if err != nil || d.IsDir() || !mail && !strings.Contains(d.Name(), ".log") {
			return nil // a file may be gone meanwhile
		}
		looked++
		b, err := os.ReadFile(path)
		found = append(found, s.Bytes(path, b)...)
		return err
	})
	if err != nil || looked < 2 {
		t.Fatalf("%d logs were looked at, %v", looked, err)
	}
	return found
}

// tableLeaks is what s finds in the hub's database.
func (h *hub) tableLeaks(t *testing.T, s *leakscan.Scanner) []leakscan.Leak {
	t.Helper()
	conn := h.connect(t)
	cfg := conn.Config()
	if err := conn.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*cfg)
	defer func() { _ = db.Close() }() // it was only read
	found, err := s.Postgres(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// heard is everything the model was ever told, each text once.
func (m *model) heard() (texts []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := map[string]bool{}
	for _, messages := range m.asked {
		for _, one := range messages {
			if text := one.text(); !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// wantNothing searches what was sent to the hub, what it remembers, what it stores, what it and the server wrote, and
// the server's own database.
func (w *tap) wantNothing(t *testing.T, h *hub, values map[string]string) {
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
	found := h.leaks(t, s)
	for _, sent := range slices.Concat(requests, messages) {
		found = append(found, s.Bytes("what was sent to the hub", sent)...)
	}
	for _, path := range []string{h.server("state", "agentd.db"), h.server("state", "agentd.db-wal")} {
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
