package e2e

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"gatehouse/agentd/leakscan"
)

// Scan is what s finds in everything that the hub stores, that it and the server log, and that was mailed.
func (h *Hub) Scan(t *testing.T, s *leakscan.Scanner) []leakscan.Leak {
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
func (h *Hub) tableLeaks(t *testing.T, s *leakscan.Scanner) []leakscan.Leak {
	t.Helper()
	conn := h.Connect(t)
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
