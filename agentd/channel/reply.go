package channel

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"gatehouse/agentd/gate"
)

// asksNobody picks letters that are likely to go out without a question, to have them sent first. Replies decides.
const asksNobody = `EXISTS (SELECT 1 FROM channels c JOIN channel_messages m ON m.channel = c.name WHERE c.name = o.channel
	AND json_extract(c.strangers, '$.replies') = 1 AND m.address = o.address AND m.session = o.session AND m.proven = 1
	AND m.stranger = 1)`

// Replies says whom a call of channel_send answers where the owner has signed that the agent may without a question, as tx sees it;
// without tx, as it was last committed. Empty: nobody. It is an answer without files, of the channel's own agent to a stranger, in the
// conversation in which they wrote, to a message of theirs of which the provider is sure that it is theirs. They were a stranger when they
// wrote it: a run of somebody whom the owner had confirmed may know more than a stranger is told.
func (c *Channels) Replies(ctx context.Context, tx *sql.Tx, call gate.Call) (to string, err error) {
	var in SendArgs
	if call.Tool != ToolName || json.Unmarshal(call.Args, &in) != nil || in.Kind != kindAnswer || len(in.Files) > 0 {
		return "", nil
	}
	const query = `SELECT o.address FROM channel_outbox o
		JOIN channels c ON c.name = o.channel AND c.state = 'active' AND c.policy = 'open' AND json_extract(c.strangers, '$.replies') = 1
		JOIN channel_strangers s ON s.channel = o.channel AND s.address = o.address AND s.state = 'talking'
		WHERE o.id = ? AND o.call_id = ? AND o.state = 'waiting' AND o.kind = 'answer' AND o.channel = ? AND o.address = ?
		AND o.agent = ? AND c.agent = o.agent AND coalesce(json_extract(o.reply, '$.to'), '') = ''
		AND NOT EXISTS (SELECT 1 FROM channel_people p WHERE p.channel = o.channel AND p.address = o.address AND p.state = 'blocked')
		AND EXISTS (SELECT 1 FROM channel_messages m WHERE m.channel = o.channel AND m.address = o.address AND m.session = o.session
			AND m.verdict = 'accepted' AND m.proven = 1 AND m.stranger = 1 AND json_extract(m.reply, '$.id') = json_extract(o.reply, '$.id')
			AND json_extract(m.reply, '$.id') <> '')`
	args := []any{in.ID, call.ID, in.Channel, in.To, call.Agent}
	var row scanner
	if tx != nil {
		row = tx.QueryRowContext(ctx, query, args...)
	} else {
		row = c.d.DB.Read().QueryRowContext(ctx, query, args...)
	}
	err = row.Scan(&to)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read answer: %w", err)
	}
	return to, nil
}
