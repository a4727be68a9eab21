package gate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// How much of long results is kept on disk, so that no agent fills it by printing.
const (
	maxKept      = 16 << 20  // bytes of one call
	maxKeptOfRun = 64 << 20  // of a run with all that it delegated
	maxKeptInAll = 256 << 20 // of the server: beyond it the oldest go
	keptFor      = 30 * 24 * time.Hour
	// purgeEvery is how often what is older is let go.
	purgeEvery = time.Hour
)

// errRunKeeps says that a run has kept what one run may.
var errRunKeeps = errors.New("the run has kept as much as one may")

var plain = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// keep keeps the beginning of a text, as much as one call may, and answers the line that says what is kept.
func (p *pass) keep(text string) string {
	clean := redact.Bytes([]byte(text)) // whole, for half a secret is known for none
	part := clean[:min(len(clean), maxKept)]
	name, err := p.keepFile(part)
	switch {
	case errors.Is(err, errRunKeeps):
		return "the rest is not kept, for this run has kept " + tool.Bytes(maxKeptOfRun) + " already]"
	case err != nil:
		p.g.d.Log.Error("long result not kept", "call_id", p.c.ID, "error", err)
		return "the rest could not be kept]"
	case len(part) < len(clean):
		return fmt.Sprintf("the first %d are kept on the server as %s]", len(part), name)
	}
	return "the whole is kept on the server as " + name + "]"
}

func (p *pass) keepFile(text []byte) (string, error) {
	if !plain.MatchString(p.c.ID) {
		return "", fmt.Errorf("call id %q is no file name", p.c.ID)
	}
	of, err := p.g.callsOf(p.root())
	if err != nil {
		return "", err
	}
	name := p.c.ID + ".txt"
	return name, p.g.results.put(name, text, of, p.g.clock.now())
}

// callsOf are the calls of a root run and the runs it delegated.
func (g *Gate) callsOf(root string) (map[string]bool, error) {
	rows, err := g.d.DB.Read().QueryContext(context.Background(), "SELECT id FROM gate_calls WHERE root_run_id = ?1 OR (+root_run_id = '' AND run_id = ?1)", root)
	if err != nil {
		return nil, fmt.Errorf("read calls of a run: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	all := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("read calls of a run: %w", err)
		}
		all[id+".txt"] = true
	}
	return all, rows.Err()
}
