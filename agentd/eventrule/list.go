package eventrule

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"gatehouse/agentd/wire"
)

var errCursor = badRequest("This page of the list does not exist. Start from the first page.")

// list gives the rules by name.
func (r *Rules) list(ctx context.Context, _ wire.EventRulesParams) (out wire.EventRulesResult, err error) {
	all, err := r.where(ctx, "state <> 'deleted' ORDER BY name, id")
	if err != nil {
		return out, err
	}
	out.Items = make([]wire.EventRule, len(all))
	for i, v := range all {
		if out.Items[i], err = r.view(ctx, v); err != nil {
			return out, err
		}
	}
	return out, nil
}

// get gives one rule, also one that was deleted.
func (r *Rules) get(ctx context.Context, p wire.EventRuleParams) (wire.EventRule, error) {
	v, err := r.byID(ctx, p.ID)
	if err != nil {
		return wire.EventRule{}, err
	}
	return r.view(ctx, v)
}

// view is a rule as pages show it.
func (r *Rules) view(ctx context.Context, v row) (wire.EventRule, error) {
	out := wire.EventRule{
		ID: v.ID, Name: v.Name, When: v.When, Agent: v.Agent, Task: v.Task, PerHour: v.PerHour, State: v.State, Why: v.Why, Level: v.Level,
		Session: v.Session, Version: v.Version, By: v.By, Created: v.Created, Updated: v.Updated,
	}
	_, last, err := scanFiring(r.d.DB.Read().QueryRowContext(ctx, "SELECT "+firingColumns+
		" FROM event_firings WHERE rule = ? ORDER BY at DESC, seq DESC LIMIT 1", v.ID))
	if errors.Is(err, sql.ErrNoRows) {
		return out, nil
	}
	out.Last = &last
	return out, err
}

const firingColumns = "seq, at, verdict, reason, run_id, count, of_run, of_agent, outcome, schedule"

func scanFiring(from scanner) (seq int64, f wire.EventFiring, err error) {
	var at int64
	err = from.Scan(&seq, &at, &f.Verdict, &f.Reason, &f.RunID, &f.Count, &f.OfRun, &f.OfAgent, &f.Outcome, &f.Schedule)
	f.At = fromMicros(at)
	return seq, f, err
}

// firings gives one page of the history of a rule, newest first.
func (r *Rules) firings(ctx context.Context, p wire.EventFiringsParams) (out wire.EventFirings, err error) {
	if _, err := r.byID(ctx, p.ID); err != nil {
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
	rows, err := r.d.DB.Read().QueryContext(ctx, "SELECT "+firingColumns+
		" FROM event_firings WHERE rule = ? AND seq < ? ORDER BY seq DESC LIMIT ?", p.ID, after, limit+1)
	if err != nil {
		return out, fmt.Errorf("read what rules have begun: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	out.Items = []wire.EventFiring{}
	for rows.Next() {
		seq, f, err := scanFiring(rows)
		if err != nil {
			return out, fmt.Errorf("read what rules have begun: %w", err)
		}
		if len(out.Items) == limit {
			out.Next = strconv.FormatInt(after, 10)
			break
		}
		out.Items, after = append(out.Items, f), seq
	}
	return out, rows.Err()
}
