package runtime

import (
	"context"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/wire"
)

// events gives the events of a root run after a number. What was shown is first made durable, so that the answer
// never lacks what a live reader has seen.
func (r *Runtime) events(ctx context.Context, p wire.EventsParams) (wire.EventsResult, error) {
	row, err := r.rowOf(ctx, p.RunID)
	if err != nil {
		return wire.EventsResult{}, err
	}
	out := wire.EventsResult{Items: []wire.RunEvent{}, State: wire.RunState(row.State), Last: p.From}
	rows, err := r.d.Store.Read().QueryContext(ctx, "SELECT n, event, data FROM run_events WHERE root_id = ? AND n > ? ORDER BY n", p.RunID, p.From)
	if err != nil {
		return out, fmt.Errorf("read events: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		e := wire.RunEvent{Root: row.ID, Session: row.SessionID}
		var data string
		if err := rows.Scan(&e.N, &e.Event, &data); err != nil {
			return out, fmt.Errorf("read events: %w", err)
		}
		e.Data = json.RawMessage(data)
		out.Items = append(out.Items, e)
		out.Last = e.N
	}
	return out, rows.Err()
}

// rowOf reads a run after making durable what its tree has shown.
func (r *Runtime) rowOf(ctx context.Context, runID string) (runRow, error) {
	if t := r.tree(runID); t != nil {
		if err := t.sync(); err != nil {
			r.d.Log.Error("events not kept yet", "run_id", runID, "error", err)
		}
	}
	rows, err := runsWhere(ctx, r.d.Store.Read(), "id = ?", runID)
	if err != nil {
		return runRow{}, err
	}
	if len(rows) == 0 {
		return runRow{}, errNoRun
	}
	return rows[0], nil
}

// receipts gives the log of a root run and the runs it delegated.
func (r *Runtime) receipts(ctx context.Context, p wire.RunParams) (wire.ReceiptsResult, error) {
	ids, err := r.treeIDs(ctx, p.RunID)
	if err != nil {
		return wire.ReceiptsResult{}, err
	}
	return r.d.Receipts.Result(ctx, ids...)
}

// treeIDs are the runs of a root run, itself first.
func (r *Runtime) treeIDs(ctx context.Context, root string) ([]string, error) {
	rows, err := runsWhere(ctx, r.d.Store.Read(), "root_id = ? ORDER BY seq", root)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoRun
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids, nil
}
