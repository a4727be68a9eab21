package runtime

import (
	"context"
	"fmt"

	"gatehouse/agentd/wire"
)

// maxDid is how many lines say what a run did.
const maxDid = 5

// fillDid says of runs what they changed or sent: a root run for its whole tree, a delegated run for itself. What was only
// looked at, and handing on a task, is nothing that was done.
func (r *Runtime) fillDid(ctx context.Context, all []wire.RunInfo) error {
	at := map[string]*wire.RunInfo{}
	roots := make([]string, 0, len(all))
	for i := range all {
		at[all[i].ID] = &all[i]
		roots = append(roots, all[i].RootID)
	}
	rows, err := r.store.Read().QueryContext(ctx, `SELECT root_id, run_id, summary FROM run_calls
		WHERE root_id IN (SELECT value FROM json_each(?)) AND state = 'done' AND tier NOT IN ('', 'green') AND summary <> ''
		ORDER BY id`, toJSON(roots))
	if err != nil {
		return fmt.Errorf("read what was done: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var root, run, summary string
		if err := rows.Scan(&root, &run, &summary); err != nil {
			return fmt.Errorf("read what was done: %w", err)
		}
		did(at[root], summary)
		if run != root {
			did(at[run], summary)
		}
	}
	return rows.Err()
}

// did adds a line to what a run did, if that run is asked about.
func did(run *wire.RunInfo, line string) {
	switch {
	case run == nil:
	case len(run.Did) < maxDid:
		run.Did = append(run.Did, line)
	default:
		run.DidMore++
	}
}
