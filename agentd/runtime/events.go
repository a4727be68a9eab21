package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gatehouse/agentd/wire"
)

// events gives the events of a root run after a number: those that are durable, and those that were shown already and are
// on their way to the disk, so that the answer never lacks what a live reader has seen.
func (r *Runtime) events(ctx context.Context, p wire.EventsParams) (wire.EventsResult, error) {
	var shown []wire.RunEvent
	if t := r.tree(p.RunID); t != nil && t.root.id == p.RunID {
		shown = t.shown(p.From) // first: what becomes durable meanwhile is read twice rather than not at all
	}
	rows, err := runsWhere(ctx, r.d.Store.Read(), "id = ?", p.RunID)
	if err != nil {
		return wire.EventsResult{}, err
	}
	if len(rows) == 0 {
		return wire.EventsResult{}, errNoRun
	}
	kept, err := r.kept(ctx, rows[0], p.From)
	if err != nil {
		return wire.EventsResult{}, err
	}
	out := wire.EventsResult{Items: merge(kept, shown), State: wire.RunState(rows[0].State), Last: p.From}
	if n := len(out.Items); n > 0 {
		out.Last = out.Items[n-1].N
	}
	return out, nil
}

// kept reads the durable events of a root run after a number.
func (r *Runtime) kept(ctx context.Context, row runRow, from int64) ([]wire.RunEvent, error) {
	rows, err := r.d.Store.Read().QueryContext(ctx, "SELECT n, event, data FROM run_events WHERE root_id = ? AND n > ? ORDER BY n", row.ID, from)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	defer rows.Close()
	all := []wire.RunEvent{}
	for rows.Next() {
		e := wire.RunEvent{Root: row.ID, Session: row.SessionID}
		var data string
		if err := rows.Scan(&e.N, &e.Event, &data); err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
		e.Data = json.RawMessage(data)
		all = append(all, e)
	}
	return all, rows.Err()
}

// merge puts events in the order of their numbers, each once.
func merge(kept, shown []wire.RunEvent) []wire.RunEvent {
	all := append(kept, shown...)
	slices.SortStableFunc(all, func(a, b wire.RunEvent) int { return cmp.Compare(a.N, b.N) })
	return slices.CompactFunc(all, func(a, b wire.RunEvent) bool { return a.N == b.N })
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
