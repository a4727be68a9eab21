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
	maxOutput       = 16 << 20  // bytes of one call
	maxOutputsOfRun = 64 << 20  // of a run with all that it delegated
	maxOutputsInAll = 256 << 20 // of the server: beyond it the oldest go
	outputLife      = 30 * 24 * time.Hour
	// purgeEvery is how often what is older is let go.
	purgeEvery = time.Hour
)

// errRunFull says that a run has kept what one run may.
var errRunFull = errors.New("the run has kept as much as one may")

var plainID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// keepOutput keeps the beginning of a text, as much as one call may, and answers the line that says what is kept.
func (p *pipeline) keepOutput(text string) string {
	clean := redact.Bytes([]byte(text)) // whole, for half a secret is known for none
	part := clean[:min(len(clean), maxOutput)]
	name, err := p.keepOutputFile(part)
	switch {
	case errors.Is(err, errRunFull):
		return "the rest is not kept, for this run has kept " + tool.Bytes(maxOutputsOfRun) + " already]"
	case err != nil:
		p.log.Error("long result not kept", "call_id", p.call.ID, "error", err)
		return "the rest could not be kept]"
	case len(part) < len(clean):
		return fmt.Sprintf("the first %d are kept on the server as %s]", len(part), name)
	}
	return "the whole is kept on the server as " + name + "]"
}

func (p *pipeline) keepOutputFile(text []byte) (string, error) {
	if !plainID.MatchString(p.call.ID) {
		return "", fmt.Errorf("call id %q is no file name", p.call.ID)
	}
	of, err := p.keptFilesOf(p.rootRun())
	if err != nil {
		return "", err
	}
	name := p.call.ID + ".txt"
	return name, p.results.put(name, text, of, p.clock.now())
}

// keptFilesOf are the calls of a root run and the runs it delegated.
func (g *Gate) keptFilesOf(root string) (map[string]bool, error) {
	rows, err := g.db.Read().QueryContext(context.Background(), "SELECT id FROM gate_calls WHERE root_run_id = ?1 OR (+root_run_id = '' AND run_id = ?1)", root)
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
