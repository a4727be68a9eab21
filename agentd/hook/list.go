package hook

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"gatehouse/agentd/wire"
)

var errCursor = badRequest("This page of the list does not exist. Start from the first page.")

// list gives the hooks by name.
func (h *Hooks) list(ctx context.Context, _ wire.HooksParams) (out wire.HooksResult, err error) {
	if err := h.flush(ctx); err != nil {
		return out, err
	}
	all, err := h.where(ctx, "state <> 'deleted' ORDER BY name")
	if err != nil {
		return out, err
	}
	out.Items = make([]wire.Hook, len(all))
	for i, r := range all {
		if out.Items[i], err = h.view(ctx, r); err != nil {
			return out, err
		}
	}
	return out, nil
}

// get gives one hook, also one that was deleted.
func (h *Hooks) get(ctx context.Context, p wire.HookParams) (wire.Hook, error) {
	if err := h.flush(ctx); err != nil {
		return wire.Hook{}, err
	}
	r, err := h.byID(ctx, p.ID)
	if err != nil {
		return wire.Hook{}, err
	}
	return h.view(ctx, r)
}

// view is a hook as pages show it.
func (h *Hooks) view(ctx context.Context, r row) (wire.Hook, error) {
	v := wire.Hook{
		ID: r.ID, Name: r.Name, Agent: r.Agent, Task: r.Task, Proof: r.Proof, State: r.State, PerMinute: r.PerMinute, Level: r.Level,
		Session: r.Session, Version: r.Version, By: r.By, Created: r.Created, Updated: r.Updated, Renewed: r.Renewed,
	}
	last, err := scanReceived(h.d.DB.Read().QueryRowContext(ctx, "SELECT "+receivedColumns+
		" FROM hook_deliveries WHERE hook = ? ORDER BY at DESC LIMIT 1", r.ID))
	if errors.Is(err, sql.ErrNoRows) {
		return v, nil
	}
	v.Last = &last.HookReceived
	return v, err
}

// received is a row of what came.
type received struct {
	wire.HookReceived

	seq int64
}

const receivedColumns = "seq, at, verdict, reason, run_id, count, size"

func scanReceived(from scanner) (r received, err error) {
	var at int64
	err = from.Scan(&r.seq, &at, &r.Verdict, &r.Reason, &r.RunID, &r.Count, &r.Size)
	r.At = fromMicros(at)
	return r, err
}

// deliveries gives one page of what came to a hook, newest first.
func (h *Hooks) deliveries(ctx context.Context, p wire.HookDeliveriesParams) (out wire.HookDeliveries, err error) {
	if err := h.flush(ctx); err != nil {
		return out, err
	}
	if _, err := h.byID(ctx, p.ID); err != nil {
		return out, err
	}
	after := int64(1<<62 - 1)
	if p.After != "" {
		if after, err = strconv.ParseInt(p.After, 10, 64); err != nil {
			return out, errCursor
		}
	}
	limit := min(p.Limit, 200)
	if limit <= 0 {
		limit = 50
	}
	rows, err := h.d.DB.Read().QueryContext(ctx, "SELECT "+receivedColumns+
		" FROM hook_deliveries WHERE hook = ? AND seq < ? ORDER BY seq DESC LIMIT ?", p.ID, after, limit+1)
	if err != nil {
		return out, fmt.Errorf("read deliveries: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	out.Items = []wire.HookReceived{}
	for rows.Next() {
		r, err := scanReceived(rows)
		if err != nil {
			return out, fmt.Errorf("read deliveries: %w", err)
		}
		if len(out.Items) == limit {
			out.Next = strconv.FormatInt(after, 10)
			break
		}
		out.Items, after = append(out.Items, r.HookReceived), r.seq
	}
	return out, rows.Err()
}
