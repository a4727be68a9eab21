package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// place is a text, and where it stands.
type place struct{ where, text string }

// logLines are the lines of every log but those of the business, and of the terminal after it has shown how to sign in.
func (h *Hub) logLines() (all []place, err error) {
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
	for _, name := range []string{"hub.log", h.Server("agentd.log")} {
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
func (h *Hub) rows(ctx context.Context) (all []place, err error) {
	conn, err := h.database(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }() // it was only read
	names, err := TableNames(ctx, conn)
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
