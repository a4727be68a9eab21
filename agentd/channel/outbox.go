package channel

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// The kinds of what is sent.
const (
	kindAnswer = "answer"
	kindCode   = "code"
	kindTest   = "test"
	kindAsk    = "ask"    // puts a request for approval to the owner
	kindTold   = "told"   // says what became of it
	kindReply  = "reply"  // to a command
	kindPerson = "person" // a person of the business wrote and signed it
)

// letter is something that is to be sent.
type letter struct {
	ID, Channel, Kind, Address, Subject, Text, Session, Agent, CallID, State, Why, Edit string
	Reply                                                                               Reply
	Level, Attempts                                                                     int
	Taint                                                                               []policy.Source
	Buttons                                                                             []Button
	Notice                                                                              bool // it says that a machine writes
	Files                                                                               []SentFile
}

// letterColumns are in the order of scanLetter.
const letterColumns = `id, channel, kind, address, subject, text, reply, session, agent, level, taint, call_id, attempts, state, why,
	buttons, edit, notice, files`

func scanLetter(from scanner) (l letter, err error) {
	var reply, taint, buttons, files string
	err = from.Scan(&l.ID, &l.Channel, &l.Kind, &l.Address, &l.Subject, &l.Text, &reply, &l.Session, &l.Agent, &l.Level, &taint,
		&l.CallID, &l.Attempts, &l.State, &l.Why, &buttons, &l.Edit, &l.Notice,
		&files)
	if err != nil {
		return l, fmt.Errorf("read outbox: %w", err)
	}
	return l, errors.Join(json.Unmarshal([]byte(reply), &l.Reply), json.Unmarshal([]byte(taint), &l.Taint),
		json.Unmarshal([]byte(buttons), &l.Buttons), json.Unmarshal([]byte(files), &l.Files))
}

// queue puts a letter into the outbox.
func (c *Channels) queue(t txn, l letter) error {
	if l.ID == "" {
		l.ID = uuid.Must(uuid.NewV7()).String()
	}
	l.Reply.Note = ""
	now := micros(c.now())
	err := t.exec("INSERT INTO channel_outbox ("+letterColumns+`, next_at, created_at, ended_at)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,0,'waiting','',?,?,?,?,?,?,0)`, l.ID, l.Channel, l.Kind, l.Address, l.Subject, l.Text,
		toJSON(l.Reply), l.Session, l.Agent, l.Level, toJSON(l.Taint), l.ID, listJSON(l.Buttons), l.Edit, l.Notice, listJSON(l.Files),
		now, now)
	if err == nil {
		t.db.OnCommit(t.tx, c.Wake)
	}
	return err
}

func listJSON[T any](all []T) string {
	if len(all) == 0 {
		return "[]"
	}
	return toJSON(all)
}

// args are what the tool takes for a letter.
func (l letter) args() SendArgs {
	return SendArgs{
		Channel: l.Channel, ID: l.ID, Kind: l.Kind, To: l.Address, Subject: l.Subject, Text: l.Text, Buttons: l.Buttons, Edit: l.Edit,
		Files: l.Files,
	}
}

// call is how a letter goes to the gate.
func (l letter) call() gate.Call {
	return gate.Call{
		ID: l.CallID, RunID: l.ID, RootRunID: l.ID, SessionID: l.Session, Agent: l.Agent, Tool: ToolName,
		Args: json.RawMessage(toJSON(l.args())), Level: l.Level, Taint: l.Taint,
		Origin:   wire.Origin{Channel: l.Channel, Address: l.Address},
		Reason:   "Answer by " + l.Channel,
		NeverAsk: l.Kind == kindAsk || l.Kind == kindTold || l.Kind == kindReply, // a question about a question would never end
	}
}

// letter reads one of the outbox.
func (c *Channels) letter(ctx context.Context, id string) (letter, error) {
	return scanLetter(c.d.DB.Read().QueryRowContext(ctx, "SELECT "+letterColumns+" FROM channel_outbox WHERE id = ?", id))
}

// maxFlying is how many letters are with the gate at once. Those about which a person is asked are, too.
const maxFlying = 100

// How many letters of one channel to people outside are with the gate at once: those about which a person is asked, and those about which
// nobody should be. The gate may ask about one of these all the same. The others wait in the outbox: who writes from outside must not use
// up what an agent may ask.
const (
	maxAsking = 10
	maxDirect = 8
)

// sendAll has everything sent that waits and whose time has come.
func (c *Channels) sendAll(ctx context.Context, sending *sync.WaitGroup) (err error) {
	rows, err := c.d.DB.Read().QueryContext(ctx, "SELECT "+letterColumns+` FROM channel_outbox o
		WHERE state = 'waiting' AND next_at <= ? ORDER BY CASE WHEN kind <> 'answer' OR EXISTS (SELECT 1 FROM channel_people p
		WHERE p.channel = o.channel AND p.address = o.address AND p.owner = 1 AND p.state = 'paired') THEN 0 WHEN `+asksNobody+` THEN 1
		ELSE 2 END, next_at LIMIT 500`, micros(c.now()))
	if err != nil {
		return fmt.Errorf("read outbox: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		l, err := scanLetter(rows)
		if err != nil {
			return err
		}
		direct, err := c.Replies(ctx, nil, l.call())
		if err != nil {
			return err
		}
		if !c.flies(l, direct != "") {
			continue
		}
		sending.Go(func() {
			err := c.send(context.WithoutCancel(ctx), l)
			c.landed(l.ID)
			if errors.Is(err, gate.ErrClosing) {
				return
			}
			c.said(ctx, "send", err)
			c.Wake()
		})
	}
	return rows.Err()
}

// flies notes that a letter goes to the gate, unless it is there, its channel does not run, or too many are there. direct says that nobody
// is asked about it.
func (c *Channels) flies(l letter, direct bool) bool {
	among, most := "", maxFlying
	if l.Kind == kindAnswer && !c.owners.has(l.Channel, l.Address) {
		if among, most = l.Channel, maxAsking; direct {
			among, most = l.Channel+" direct", maxDirect
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, is := c.flying[l.ID]; is || len(c.flying) >= maxFlying || c.lives[l.Channel] == nil {
		return false
	}
	n := 0
	for _, other := range c.flying {
		if other == among {
			n++
		}
	}
	if n >= most {
		return false
	}
	c.flying[l.ID] = among
	return true
}

func (c *Channels) landed(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flying, id)
	delete(c.parked, id)
}

// send takes a letter through the gate, and notes what became of it. The gate runs a call once, whatever happens to this process.
func (c *Channels) send(ctx context.Context, l letter) error {
	ctx, recall := context.WithCancel(ctx)
	defer recall()
	direct, err := c.Replies(ctx, nil, l.call())
	if err != nil {
		return err
	}
	asked := false
	out, err := c.d.Gate.Do(ctx, l.call(), func(begins bool) {
		asked = true
		c.park(l.ID, begins, recall)
	})
	if err != nil {
		return err
	}
	free := out.Tier == string(policy.Green) || direct != "" && !asked
	return c.settle(context.WithoutCancel(ctx), l, out, free)
}

// park notes that a person is asked about a letter, or is not any more.
func (c *Channels) park(id string, begins bool, recall func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.parked, id)
	if begins {
		c.parked[id] = recall
	}
}

// maxAttempts is how often a letter is tried that the provider never had. The times between them double.
const (
	maxAttempts = 6
	firstRetry  = time.Minute
)

// settle notes what became of a letter. What was certainly not sent is tried again, if it is free: no person was asked about it.
func (c *Channels) settle(ctx context.Context, l letter, out gate.Outcome, free bool) error {
	state := map[wire.ToolState]string{
		wire.ToolDone: "sent", wire.ToolDenied: "denied", wire.ToolUnknown: "unknown",
	}[out.State]
	if state == "" {
		state = "failed"
	}
	sure := c.fates.take(l.CallID)
	after := max(sure.after, firstRetry<<l.Attempts)
	if state == "failed" && sure.known && free && l.Kind != kindTest && l.Attempts+1 < maxAttempts {
		return c.write(ctx, func(t txn) error {
			next := c.now().Add(after)
			return t.exec(`UPDATE channel_outbox SET attempts = attempts + 1, call_id = ?, next_at = ?, why = ?
				WHERE id = ? AND state = 'waiting'`,
				uuid.Must(uuid.NewV7()).String(), micros(next), out.Text, l.ID)
		})
	}
	why := out.Text
	if state == "sent" {
		why = ""
	}
	return c.write(ctx, func(t txn) error {
		err := t.exec("UPDATE channel_outbox SET state = ?, why = ?, ended_at = ?, sent_id = ? WHERE id = ? AND state = 'waiting'", state,
			why, micros(c.now()), sure.sent, l.ID)
		if err != nil {
			return err
		}
		if l.Notice && state == "sent" {
			err := t.exec("UPDATE channel_strangers SET told_at = ? WHERE channel = ? AND address = ? AND told_at = 0", micros(c.now()),
				l.Channel, l.Address)
			if err != nil {
				return err
			}
		}
		if state == "sent" || state == "unknown" {
			if err := c.findable(t, l); err != nil {
				return err
			}
		}
		if r, is := c.early.take(l.Channel, l.ID, sure.sent); is {
			if err := c.reported(t, l.Channel, r); err != nil {
				return err
			}
		}
		return c.receipt(t, "channel."+state, "", map[string]any{
			"channel": l.Channel, "address": l.Address, "kind": l.Kind, "id": l.ID, "call_id": l.CallID, "reason": why,
		})
	})
}

// findable has an answer to a letter find its conversation, unless the letter was deleted meanwhile with all that was kept of its reader.
func (c *Channels) findable(t txn, l letter) error {
	kept, err := t.count("SELECT count(*) FROM channel_outbox WHERE id = ?", l.ID)
	if err != nil || kept == 0 {
		return err
	}
	return c.refer(t, l.Channel, l.Address, SentRef(l.ID), l.Session)
}

// SentRef is how a message that this server has sent is named in Inbound.Refs.
func SentRef(id string) string { return "sent:" + id }

// fate is what is known of a call beside its outcome.
type fate struct {
	known bool          // that the provider has not got the message
	after time.Duration // before which it takes none
	sent  string        // the provider's id of the message
}

// fates are those of calls of this process.
type fates struct {
	mu sync.Mutex
	of map[string]fate
}

func (f *fates) put(call string, is fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of[call] = is
}

func (f *fates) take(call string) fate {
	f.mu.Lock()
	defer f.mu.Unlock()
	is := f.of[call]
	delete(f.of, call)
	return is
}

// counts are what came and went in the last 30 days.
func (c *Channels) counts(ctx context.Context, name string) (n wire.ChannelCounts, err error) {
	since := micros(c.now().Add(-30 * 24 * time.Hour))
	err = c.d.DB.Read().QueryRowContext(ctx, `SELECT coalesce(sum(verdict = 'accepted'), 0),
		coalesce(sum(iif(verdict IN ('accepted', 'command'), 0, times)), 0)
		FROM channel_messages WHERE channel = ? AND at > ?`, name, since).Scan(&n.Received, &n.Refused)
	if err != nil {
		return n, fmt.Errorf("count messages: %w", err)
	}
	err = c.d.DB.Read().QueryRowContext(ctx, `SELECT coalesce(sum(state = 'sent'), 0), coalesce(sum(state IN ('failed', 'denied')), 0),
		coalesce(sum(state = 'unknown'), 0), coalesce(sum(state = 'waiting'), 0) FROM channel_outbox
		WHERE channel = ? AND (ended_at > ? OR state = 'waiting')`, name, since).Scan(&n.Sent, &n.Failed, &n.Unknown, &n.Waiting)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return n, fmt.Errorf("count messages: %w", err)
	}
	return n, nil
}
