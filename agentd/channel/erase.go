package channel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/wire"
)

// wantsErased has what is kept of a stranger deleted, if it is sure that it was they who wrote. If it is not, a person decides.
func (c *Channels) wantsErased(t txn, r row, s stranger, m Inbound) (outcome, error) {
	if m.Proven {
		return outcome{verdict: "command", reason: string(wordErase)}, errors.Join(
			c.sayTo(t, r, s, m, saysErasing), c.turn(t, &s, wire.StrangerErasing, "Their data is being deleted."))
	}
	t.db.OnCommit(t.tx, func() {
		c.alert("A message by " + r.Name + " asks to have somebody's data deleted, and it is not certain that it is from them.")
	})
	o := outcome{verdict: "command", reason: string(wordErase)}
	if s.State == wire.StrangerOut {
		return o, nil
	}
	return o, c.handOver(t, r, &s, m, saysUnsure)
}

// eraseAfter is how long the deletion waits for the message that says so to them.
const eraseAfter = 10 * time.Minute

// eraseAll deletes what is kept of those who asked for it, or whom the owner has deleted.
func (c *Channels) eraseAll(ctx context.Context) (err error) {
	rows, err := c.d.DB.Read().QueryContext(ctx, "SELECT "+strangerColumns+` FROM channel_strangers s WHERE state = 'erasing'
		AND (since < ? OR NOT EXISTS (SELECT 1 FROM channel_outbox o WHERE o.channel = s.channel AND o.address = s.address
		AND o.state = 'waiting')) ORDER BY since LIMIT 50`, micros(c.now().Add(-eraseAfter)))
	if err != nil {
		return fmt.Errorf("read strangers: %w", err)
	}
	var all []stranger
	for rows.Next() {
		s, err := scanStranger(rows)
		if err != nil {
			return errors.Join(err, rows.Close())
		}
		all = append(all, s)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, s := range all {
		err = errors.Join(err, c.erase(ctx, s))
	}
	return err
}

// erase deletes the conversations, the files and the entry of a stranger. It can be broken off anywhere and goes on from there. What
// stays are the receipts, and of each message the mark by which a repeat is known.
func (c *Channels) erase(ctx context.Context, s stranger) error {
	sessions, err := c.column(ctx, `SELECT session FROM channel_messages WHERE channel = ?1 AND address = ?2 AND session <> '' UNION
		SELECT session FROM channel_refs WHERE channel = ?1 AND address = ?2 UNION
		SELECT session FROM channel_chats WHERE channel = ?1 AND address = ?2 UNION
		SELECT session FROM channel_outbox WHERE channel = ?1 AND address = ?2 AND session <> ''`, s)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		if done, err := c.d.Runs.Erase(ctx, session); err != nil || !done {
			return err
		}
		failpoint.Hit("conversation erased")
	}
	runs, err := c.column(ctx, "SELECT run_id FROM channel_messages WHERE channel = ?1 AND address = ?2 AND bytes > 0", s)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if err := c.d.Shelf.Forget(ctx, s.Channel, run); err != nil {
			return err
		}
	}
	failpoint.Hit("files erased")
	if err := c.write(ctx, func(t txn) error { return c.forgetStranger(t, s, len(runs)) }); err != nil {
		return err
	}
	c.alert("What was kept of somebody who wrote by " + s.Channel + " was deleted, as it was asked for.")
	return c.d.DB.Erase(ctx)
}

// forgetStranger deletes the rows of a stranger. That they are blocked stays, or they could write again.
func (c *Channels) forgetStranger(t txn, s stranger, files int) error {
	still, err := t.count("SELECT count(*) FROM channel_strangers WHERE id = ? AND state = 'erasing'", s.ID)
	if err != nil || still == 0 {
		return err
	}
	by, err := t.texts("SELECT reason FROM channel_messages WHERE channel = ? AND address = ? AND verdict = 'command' AND reason = ? LIMIT 1",
		s.Channel, s.Address, string(wordErase))
	if err != nil {
		return err
	}
	who := "owner"
	if len(by) > 0 {
		who = wire.StrangerBySelf
	}
	for _, query := range []string{
		"DELETE FROM channel_refs WHERE channel = ? AND address = ?", "DELETE FROM channel_chats WHERE channel = ? AND address = ?",
		"DELETE FROM channel_outbox WHERE channel = ? AND address = ?",
		"DELETE FROM channel_people WHERE channel = ? AND address = ? AND state <> 'blocked'",
		`UPDATE channel_messages SET address = '', run_id = '', session = '', reply = '{}', open = 0 WHERE channel = ? AND address = ?`,
		"DELETE FROM channel_strangers WHERE channel = ? AND address = ?",
	} {
		if err := t.exec(query, s.Channel, s.Address); err != nil {
			return err
		}
	}
	err = t.exec("INSERT INTO channel_erasures (id, channel, at, by, messages, files) VALUES (?,?,?,?,?,?)", s.ID, s.Channel, micros(c.now()),
		who, s.Messages, files)
	if err != nil {
		return err
	}
	return c.receipt(t, "channel.erased", "", map[string]any{
		"channel": s.Channel, "stranger": s.ID, "by": who, "messages": s.Messages, "files": files,
	})
}

// column reads a column of the rows of a stranger.
func (c *Channels) column(ctx context.Context, query string, s stranger) (all []string, err error) {
	rows, err := c.d.DB.Read().QueryContext(ctx, query, s.Channel, s.Address)
	if err != nil {
		return nil, fmt.Errorf("read channel: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, fmt.Errorf("read channel: %w", err)
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
