package gate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"gatehouse/agentd/gate/output"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// purgeEvery is how often the gate deletes old outputs.
const purgeEvery = time.Hour

// plainID is a call id that is safe as a file name.
var plainID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// keepOutput keeps the start of a text on disk, as much as one call may, and returns the words that say what is kept.
func (p *pipeline) keepOutput(text string) string {
	clean := redact.Bytes([]byte(text)) // before the cut: half a secret is not recognized
	part := clean[:min(len(clean), output.MaxOfCall)]
	name, err := p.keepOutputFile(part)
	switch {
	case errors.Is(err, output.ErrRunFull):
		return "the rest is not kept, for this run has kept " + tool.Bytes(output.MaxOfRun) + " already]"
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
	ofRun, err := p.outputsOf(p.call.rootRun())
	if err != nil {
		return "", err
	}
	name := outputName(p.call.ID)
	return name, p.outputs.Put(name, text, ofRun, p.clock.now())
}

func outputName(callID string) string { return callID + ".txt" }

// outputsOf names the files that the calls of a root run, and of the runs it delegated, may have kept.
func (g *Gate) outputsOf(root string) (map[string]bool, error) {
	rows, err := g.db.Read().QueryContext(context.Background(),
		"SELECT id FROM gate_calls WHERE root_run_id = ?1 OR (+root_run_id = '' AND run_id = ?1)", root)
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
		all[outputName(id)] = true
	}
	return all, rows.Err()
}
