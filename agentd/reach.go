package agentd

import (
	"context"
	"database/sql"
	"sync"

	"github.com/google/uuid"

	"gatehouse/agentd/eventrule"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// degradedAfter is how many requests in a row that do not reach a business tool mark it as degraded.
const degradedAfter = 3

// reach counts for each business tool how many requests in a row did not reach it. A restart counts anew.
type reach struct {
	mu     sync.Mutex
	misses map[string]int
}

// note counts a request. begins and ends say that the tool cannot be reached from now on, or can again.
func (r *reach) note(tool string, missed bool) (begins, ends bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.misses == nil {
		r.misses = map[string]int{}
	}
	if !missed {
		ends = r.misses[tool] >= degradedAfter
		delete(r.misses, tool)
		return false, ends
	}
	r.misses[tool]++
	return r.misses[tool] == degradedAfter, false
}

// toolSeen hears of a request whether its business tool was reached. It puts on record when that changes, with what it begins.
func (d *Daemon) toolSeen(p gate.Permit, tool, why string) {
	begins, ends := d.reach.note(tool, why != "")
	if !begins && !ends {
		return
	}
	kind, body := "tool.degraded", map[string]any{"tool": tool, "why": why}
	if ends {
		kind, body = "tool.reached", map[string]any{"tool": tool}
	}
	b, err := d.runtime.Behind(p.CallID(), p.RunID())
	if err == nil {
		err = d.db.Write(context.Background(), func(tx *sql.Tx) error {
			if _, err := d.receipts.Append(tx, receipt.Entry{Type: kind, RunID: b.RunID, Body: body}); err != nil || ends {
				return err
			}
			return d.rules.Happened(tx, eventrule.Event{
				Kind: wire.EventToolDegraded, Mark: uuid.Must(uuid.NewV7()).String(), Agent: b.Agent, RunID: b.RunID, Tool: tool,
				Rule:   b.From.Rule,
				Behind: func() (string, []policy.Source, error) { return why, b.Taint, nil },
			})
		})
	}
	if err != nil {
		d.log.Error("not put on record whether a tool can be reached", "tool", tool, "error", err)
	}
}
