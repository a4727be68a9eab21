package e2e

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// place is a text, and where it stands.
type place struct{ where, text string }

// logLines are the lines of every log but those of the business, and of the terminal after it has shown how to sign in.
func (h *hub) logLines() (all []place, err error) {
	shown := h.Output()
	if at := strings.LastIndex(shown, "Ctrl-C stops everything."); at >= 0 {
		shown = shown[at:]
	}
	texts := map[string]string{"the terminal": shown}
	err = filepath.WalkDir(h.Dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it was there a moment ago
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"data", "mail"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.Contains(d.Name(), ".log"):
			return nil
		}
		b, err := os.ReadFile(filepath.Clean(path))
		texts[strings.TrimPrefix(path, h.Dir+"/")] = string(b)
		return err
	})
	if h.dsn != "" {
		var logErr error
		texts["the log of Postgres"], logErr = h.log.since()
		err = errors.Join(err, logErr)
	}
	for _, name := range []string{"hub.log", h.server("agentd.log")} {
		if texts[strings.TrimPrefix(name, h.Dir+"/")] == "" {
			err = errors.Join(err, fmt.Errorf("there is no %s", name))
		}
	}
	for name, text := range texts {
		n := 0
		for line := range strings.Lines(text) {
			n++
			all = append(all, place{fmt.Sprintf("%s, line %d", name, n), line})
		}
	}
	return all, err
}

// rows are those of every table of the hub's database.
func (h *hub) rows(ctx context.Context) (all []place, err error) {
	conn, err := h.database(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }() // it was only read
	names, err := tableNames(ctx, conn)
	if err != nil {
		return nil, err
	}
	var every []string
	for _, name := range names {
		every = append(every, "SELECT '"+name+"', r::text FROM "+name+" r")
	}
	rows, err := conn.Query(ctx, strings.Join(every, " UNION ALL "))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p place, err error) {
		err = row.Scan(&p.where, &p.text)
		return p, err
	})
}

// plantedIsFound: the search that ends every test finds what is planted in a log and in a table, and says where.
func plantedIsFound(t *testing.T, h *hub, value string) {
	path := filepath.Join(h.Dir, "worse.log")
	line := "first line\n" + `{"msg":"sent","body":"` + base64.StdEncoding.EncodeToString([]byte("value: "+value)) + `"}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	conn := h.connect(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if _, err := conn.Exec(t.Context(), "CREATE TABLE worse AS SELECT now() AS at, jsonb_build_object('note', $1::text) AS body", hex.EncodeToString([]byte(value))); err != nil {
		t.Fatal(err)
	}
	found, err := h.leaked(t.Context())
	said := fmt.Sprint(found)
	if err != nil || len(found) != 2 || !strings.Contains(said, "worse.log, line 2 (base64") || !strings.Contains(said, "public.worse (hex") || strings.Contains(said, value) {
		t.Errorf("found %s, %v", said, err)
	}
	if _, err := conn.Exec(t.Context(), "DROP TABLE worse"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
