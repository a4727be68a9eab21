package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

const (
	historyTurns = 30     // earlier turns of a conversation that the model reads
	historyBytes = 24_000 // bytes of them
)

// history is the conversation before this message, as questions and answers: tools are not used again because of it.
func (t *tree) history(ctx context.Context) ([]llm.Message, error) {
	rows, err := t.rt.runsWhere(ctx, `session_id = ?1 AND depth = 0 AND seq < ?2
		AND seq > (SELECT fresh_after FROM sessions WHERE id = ?1) AND ended_at > 0 ORDER BY seq DESC LIMIT ?3`,
		t.session, t.seq, historyTurns)
	if err != nil {
		return nil, err
	}
	var turns [][]llm.Message
	with := map[string]string{} // what else was written for a turn, by its run
	size := 0
	for _, row := range rows {
		if t.origin.Stranger() && !sameStranger(t.origin, originOf(row)) {
			continue
		}
		asked := withFiles(row.Text, row.Files)
		if row.Joined != "" {
			with[row.Joined] = "\n\n" + asked + with[row.Joined]
			continue
		}
		asked += with[row.ID]
		said, err := t.rt.endText(ctx, row)
		if err != nil {
			return nil, err
		}
		if size += len(asked) + len(said); size > historyBytes {
			break
		}
		if commandOf(row.Text) == nil {
			turns = append(turns, []llm.Message{{Role: llm.User, Text: asked}, {Role: llm.Assistant, Text: said}})
		}
	}
	slices.Reverse(turns)
	return slices.Concat(turns...), nil
}

// endText is what the model reads of how an earlier turn ended.
func (rt *Runtime) endText(ctx context.Context, row runRow) (string, error) {
	var f wire.FinalData
	if row.Final != "" && json.Unmarshal([]byte(row.Final), &f) == nil {
		return f.Text, nil
	}
	var e wire.ErrorData
	if row.Error == "" || json.Unmarshal([]byte(row.Error), &e) != nil {
		return "(no answer)", nil
	}
	left, err := rt.leftBehind(ctx, row.ID)
	return strings.TrimSpace("(" + e.Title + ") " + e.Text + left), err
}

// leftBehind says what a turn without an answer had done, and what of it was under way, so that nobody does it a second time.
func (rt *Runtime) leftBehind(ctx context.Context, root string) (string, error) {
	did, err := rt.texts(ctx, `SELECT CASE state WHEN 'done' THEN 'done: ' WHEN 'unknown' THEN 'begun, outcome unknown: '
		ELSE 'under way, look before you repeat it: ' END || iif(summary = '', tool, summary) FROM run_calls
		WHERE root_id = ? AND started_at > 0 AND tier NOT IN ('', 'green') AND state IN ('done', 'running', 'unknown', 'stopped')
		ORDER BY id LIMIT ?`, root, maxDone)
	if err != nil || len(did) == 0 {
		return "", err
	}
	return fmt.Sprintf("\n[Runtime: what this turn did stays done:\n- %s]", strings.Join(did, "\n- ")), nil
}
