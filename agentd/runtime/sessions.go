package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gatehouse/agentd/wire"
)

const sessionColumns = "id, agent, title, last_line, state, verdict, runs, created_at, updated_at, " + isArchived

// isArchived, of the present moment: a conversation of a sub-agent says at its end when it will be.
const isArchived = "(archived_at BETWEEN 1 AND ?)"

// listSessions gives one page of conversations, the one that changed last first.
func (r *Runtime) listSessions(ctx context.Context, p wire.ListParams) (wire.SessionsResult, error) {
	f := filter{where: []string{"NOT " + isArchived}, args: []any{micros(r.now())}}
	if p.Archived {
		f.where[0] = isArchived
	}
	if p.Agent != "" {
		f.add("agent = ?", p.Agent)
	}
	if p.Q != "" {
		f.add(`(title LIKE ? ESCAPE '\' OR id IN (SELECT session_id FROM runs WHERE depth = 0 AND text LIKE ? ESCAPE '\'))`,
			likePattern(p.Q), likePattern(p.Q))
	}
	if p.After != "" {
		at, id, ok := strings.Cut(p.After, ":")
		micros, err := strconv.ParseInt(at, 10, 64)
		if !ok || err != nil {
			return wire.SessionsResult{}, errCursor
		}
		f.add("(updated_at, id) < (?, ?)", micros, id)
	}
	limit := pageSize(p.Limit)
	items, err := r.sessionsWhere(ctx, f.String()+" ORDER BY updated_at DESC, id DESC LIMIT ?", append(f.args, limit+1)...)
	if err != nil {
		return wire.SessionsResult{}, err
	}
	out := wire.SessionsResult{Items: items}
	if len(items) > limit {
		out.Items = items[:limit]
		last := out.Items[limit-1]
		out.Next = strconv.FormatInt(micros(last.UpdatedAt), 10) + ":" + last.ID
	}
	return out, nil
}

func (r *Runtime) sessionsWhere(ctx context.Context, where string, args ...any) ([]wire.SessionInfo, error) {
	args = append([]any{micros(r.now())}, args...)
	rows, err := r.store.Read().QueryContext(ctx, "SELECT "+sessionColumns+" FROM sessions WHERE "+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read conversations: %w", err)
	}
	defer rows.Close()
	all := []wire.SessionInfo{}
	for rows.Next() {
		s, err := scanSession(rows)
		if err != nil {
			return nil, fmt.Errorf("read conversations: %w", err)
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

func scanSession(rows *sql.Rows) (wire.SessionInfo, error) {
	var s wire.SessionInfo
	var created, updated int64
	err := rows.Scan(&s.ID, &s.Agent, &s.Title, &s.LastLine, &s.State, &s.Verdict, &s.Runs, &created, &updated, &s.Archived)
	s.CreatedAt, s.UpdatedAt = fromMicros(created), fromMicros(updated)
	return s, err
}

var errNoSession = &wire.RPCError{Code: "not_found", Text: "This conversation is not on your server. It may have been deleted."}

const (
	defaultTurns = 20
	maxTurns     = 100
)

// getSession gives a slice of the turns of one conversation, oldest first.
func (r *Runtime) getSession(ctx context.Context, p wire.SessionParams) (wire.Session, error) {
	r.syncSession(p.SessionID)
	found, err := r.sessionsWhere(ctx, "id = ?", p.SessionID)
	if err != nil {
		return wire.Session{}, err
	}
	if len(found) == 0 {
		return wire.Session{}, errNoSession
	}
	limit := defaultTurns
	if p.Limit > 0 {
		limit = min(p.Limit, maxTurns)
	}
	rows, err := r.turnsBefore(ctx, p, limit+1)
	if err != nil {
		return wire.Session{}, err
	}
	out := wire.Session{SessionInfo: found[0], Turns: []wire.Turn{}, More: len(rows) > limit}
	rows = rows[:min(len(rows), limit)]
	slices.Reverse(rows)
	for _, row := range rows {
		turn, err := r.turn(ctx, row)
		if err != nil {
			return wire.Session{}, err
		}
		out.Turns = append(out.Turns, turn)
	}
	return out, nil
}

// turnsBefore reads root runs of a conversation, newest first.
func (r *Runtime) turnsBefore(ctx context.Context, p wire.SessionParams, limit int) ([]runRow, error) {
	f := filter{}
	f.add("session_id = ? AND depth = 0", p.SessionID)
	if p.Before != "" {
		f.add("seq < coalesce((SELECT seq FROM runs WHERE id = ?), 0)", p.Before)
	}
	return r.runsWhere(ctx, f.String()+" ORDER BY seq DESC LIMIT ?", append(f.args, limit)...)
}

func (r *Runtime) turn(ctx context.Context, row runRow) (wire.Turn, error) {
	t := wire.Turn{Files: row.Files, Time: row.SentAt}
	if err := json.Unmarshal(row.Origin, &t.From); err != nil {
		return t, fmt.Errorf("origin of run %s: %w", row.ID, err)
	}
	t.Text = r.shown(row.Text, t.From)
	var err error
	if t.Last, err = r.events.Newest(ctx, row.ID); err != nil {
		return t, err
	}
	// The number is read first: what the view shows beyond it comes again in the stream, where it is known to be a repeat.
	t.Run, err = r.view(ctx, row)
	return t, err
}

// syncSession makes durable what the open runs of a conversation have shown.
func (r *Runtime) syncSession(id string) {
	r.mu.Lock()
	var open []*tree
	for _, t := range r.trees {
		if t.session == id {
			open = append(open, t)
		}
	}
	r.mu.Unlock()
	for _, t := range open {
		if err := t.events.Sync(); err != nil {
			r.log.Error("events not kept yet", "run_id", t.root.id, "error", err)
		}
	}
}
