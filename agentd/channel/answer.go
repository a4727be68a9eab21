package channel

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// asked is a message whose run has not been answered yet.
type asked struct {
	seq                            int64
	channel, address, run, session string
	reply                          Reply
}

// answerAll queues answers to all messages whose runs have ended.
func (c *Channels) answerAll(ctx context.Context) error {
	all, err := c.open(ctx)
	for _, a := range all {
		err = errors.Join(err, c.answer(ctx, a))
	}
	return err
}

func (c *Channels) open(ctx context.Context) (all []asked, err error) {
	rows, err := c.d.DB.Read().QueryContext(ctx,
		"SELECT seq, channel, address, run_id, session, reply FROM channel_messages WHERE open = 1 ORDER BY seq")
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var a asked
		var reply string
		if err := rows.Scan(&a.seq, &a.channel, &a.address, &a.run, &a.session, &reply); err != nil {
			return nil, fmt.Errorf("read messages: %w", err)
		}
		if err := json.Unmarshal([]byte(reply), &a.reply); err != nil {
			return nil, fmt.Errorf("read messages: %w", err)
		}
		all = append(all, a)
	}
	return all, rows.Err()
}

// answer queues the answer to a message, if its run has ended.
func (c *Channels) answer(ctx context.Context, a asked) error {
	said, err := c.d.Runs.Answer(ctx, a.run)
	if err != nil || !said.Ended {
		return err
	}
	text := cmp.Or(strings.TrimSpace(redact.Text(said.Text)), "(There is no answer.)")
	if a.reply.Note != "" {
		text = a.reply.Note + "\n\n" + text
	}
	id := newID()
	with, err := c.enclose(ctx, a.channel, id, said)
	if err != nil {
		return err
	}
	return c.write(ctx, func(t txn) error {
		open, err := t.count("SELECT count(*) FROM channel_messages WHERE seq = ? AND open = 1", a.seq)
		if err != nil || open == 0 {
			return err
		}
		if err := t.exec("UPDATE channel_messages SET open = 0, tokens = ? WHERE seq = ?", said.Tokens, a.seq); err != nil {
			return err
		}
		r, err := find(t, a.channel)
		if err != nil || r.State == wire.ChannelRemoved || said.Into != "" { // that run's answer is the answer
			return err
		}
		l := letter{
			ID: id, Channel: a.channel, Kind: kindAnswer, Address: cmp.Or(a.reply.To, a.address),
			Subject: answerTo(a.channel, a.reply.Subject), Text: text, Reply: a.reply,
			Session: a.session, Agent: r.Agent, Level: r.Level, Taint: said.Taint,
		}
		return c.answerTo(t, r, l, said, with)
	})
}

// answerTo queues an answer. A stranger gets none while a person has the conversation; their first one says that a machine writes, and
// what went wrong here is nothing for them to read. No file goes to one, whatever their run says.
func (c *Channels) answerTo(t txn, r row, l letter, said Answer, with enclosed) error {
	s, is, may, err := c.answered(t, l.Channel, l.Address)
	if err != nil || !may {
		return err
	}
	if !is {
		l.Files, l.Text = with.files, strings.Join(append([]string{l.Text}, with.left...), "\n\n")
	}
	if is && said.Failed {
		l.Text = s.says(r, saysUnable)
	}
	if is && s.Told.IsZero() {
		l.Notice, l.Text = true, c.notice(r, s)+"\n\n"+l.Text
	}
	return c.queue(t, l)
}
