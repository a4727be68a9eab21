package receipt

import (
	"context"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/wire"
)

// maxFlagged is the longest page of Flagged, usualFlagged the usual one.
const (
	maxFlagged   = 200
	usualFlagged = 50
)

// noticed is said of receipts of content from outside in which something was noticed: what a tool brought in, what came to a hook or by
// a channel, or what an event told of.
const noticed = `type IN ('call.finished', 'hook.accepted', 'channel.accepted', 'event.began') AND instr(body, '"flagged":["') > 0`

// Flagged gives one page of the content from outside in which something was noticed, newest first.
func (l *Log) Flagged(ctx context.Context, p wire.FlaggedParams) (wire.FlaggedResult, error) {
	limit := min(max(p.Limit, 0), maxFlagged)
	if limit == 0 {
		limit = usualFlagged
	}
	rows, err := l.db.Read().QueryContext(ctx, "SELECT "+columns+` FROM receipts
		WHERE `+noticed+` AND (?1 = 0 OR seq < ?1) ORDER BY seq DESC LIMIT ?2`, p.After, limit+1)
	if err != nil {
		return wire.FlaggedResult{}, fmt.Errorf("read flagged content: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	out := wire.FlaggedResult{Items: []wire.Flagged{}}
	for rows.Next() {
		r, _, err := scan(rows)
		if err != nil {
			return wire.FlaggedResult{}, fmt.Errorf("read flagged content: %w", err)
		}
		f, err := flagged(r)
		if err != nil {
			return wire.FlaggedResult{}, err
		}
		out.Items = append(out.Items, f)
	}
	if len(out.Items) > limit {
		out.Items = out.Items[:limit]
		out.Next = out.Items[limit-1].Seq
	}
	return out, rows.Err()
}

func flagged(r wire.Receipt) (wire.Flagged, error) {
	var b struct {
		Summary string             `json:"summary"`
		Name    string             `json:"name"` // of the hook, channel or rule
		Outside []wire.TaintSource `json:"outside"`
		Taint   []wire.TaintSource `json:"taint"` // of what came to a hook
		Flagged []string           `json:"flagged"`
	}
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return wire.Flagged{}, fmt.Errorf("receipt %d: %w", r.Seq, err)
	}
	switch r.Type {
	case "hook.accepted":
		b.Summary, b.Outside = "Hook "+b.Name, b.Taint
	case "event.began":
		b.Summary, b.Outside = "Rule "+b.Name, b.Taint
	case "channel.accepted":
		b.Summary, b.Outside = "Message by "+b.Name, b.Taint
	}
	return wire.Flagged{
		Seq: r.Seq, Time: r.Time, RunID: r.RunID, CallID: r.CallID, Tool: r.Tool, Summary: b.Summary, Sources: b.Outside, Patterns: b.Flagged,
	}, nil
}

// FlaggedRun says whether something was noticed in content from outside that a run read, or that began it.
func (l *Log) FlaggedRun(ctx context.Context, run string) (flagged bool, err error) {
	err = l.db.Read().QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM receipts WHERE run_id = ? AND "+noticed+")", run).Scan(&flagged)
	if err != nil {
		return false, fmt.Errorf("look up a run: %w", err)
	}
	return flagged, nil
}
