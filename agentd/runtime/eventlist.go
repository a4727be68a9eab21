package runtime

import (
	"context"

	"gatehouse/agentd/runtime/event"
	"gatehouse/agentd/wire"
)

// getEvents gives the events of a root run after a number: the durable ones, and those that were shown and are still on their
// way to the disk, so that the answer never lacks what a live reader has seen.
func (r *Runtime) getEvents(ctx context.Context, p wire.EventsParams) (wire.EventsResult, error) {
	var shown []wire.RunEvent
	if t := r.tree(p.RunID); t != nil && t.root.id == p.RunID {
		shown = t.events.Shown(p.From) // first: what becomes durable meanwhile is read twice rather than not at all
	}
	rows, err := r.runsWhere(ctx, "id = ?", p.RunID)
	if err != nil {
		return wire.EventsResult{}, err
	}
	if len(rows) == 0 {
		return wire.EventsResult{}, errNoRun
	}
	kept, err := r.events.Stored(ctx, p.RunID, rows[0].SessionID, p.From)
	if err != nil {
		return wire.EventsResult{}, err
	}
	out := wire.EventsResult{Items: event.Merge(kept, shown), State: wire.RunState(rows[0].State), Last: p.From}
	if n := len(out.Items); n > 0 {
		out.Last = out.Items[n-1].N
	}
	return out, nil
}

// syncedRow reads a run after making durable what its tree has shown.
func (r *Runtime) syncedRow(ctx context.Context, runID string) (runRow, error) {
	if t := r.tree(runID); t != nil {
		if err := t.events.Sync(); err != nil {
			r.log.Error("events not kept yet", "run_id", runID, "error", err)
		}
	}
	rows, err := r.runsWhere(ctx, "id = ?", runID)
	if err != nil {
		return runRow{}, err
	}
	if len(rows) == 0 {
		return runRow{}, errNoRun
	}
	return rows[0], nil
}

// getReceipts gives the log of a root run and the runs it delegated.
func (r *Runtime) getReceipts(ctx context.Context, p wire.RunParams) (wire.ReceiptsResult, error) {
	ids, err := r.treeIDs(ctx, p.RunID)
	if err != nil {
		return wire.ReceiptsResult{}, err
	}
	return r.receipts.Result(ctx, ids...)
}

// treeIDs are the runs of a root run, itself first, and the sub-agents that it was told of.
func (r *Runtime) treeIDs(ctx context.Context, root string) ([]string, error) {
	rows, err := r.runsWhere(ctx, "root_id = ? ORDER BY seq", root)
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
	told, err := r.toldTo(ctx, root)
	return append(ids, told...), err
}
