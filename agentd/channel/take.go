package channel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// outcome is what becomes of a message.
type outcome struct {
	verdict string // accepted, refused, code or command; empty: it came before
	reason  string // of a refusal, for the owner; of a command: which
	start   Start
	flagged []string
	owner   bool

	stranger stranger // who wrote, where it is one
	silent   bool     // no agent works on it: a person has the conversation
}

func refused(why string) outcome { return outcome{verdict: "refused", reason: why} }

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// take takes a message in. After an error it is not taken: it comes again.
func (c *Channels) take(ctx context.Context, name string, m Inbound) error {
	run := uuid.Must(uuid.NewV7()).String()
	files, err := c.keepFiles(ctx, name, run, &m)
	if err != nil {
		return err
	}
	var o outcome
	err = c.write(ctx, func(t txn) (err error) {
		failpoint.Hit("message came")
		o, err = c.judge(t, name, run, m, files)
		if err != nil {
			return err
		}
		return t.exec("UPDATE channels SET cursor = ? WHERE name = ? AND ? <> ''", m.Cursor, name, m.Cursor)
	})
	failpoint.Hit("message taken")
	if err != nil || o.verdict != "accepted" {
		c.d.Shelf.Drop(files)
	}
	if err == nil && (o.verdict == "code" || o.verdict == "command") {
		c.Wake()
	}
	return err
}

// judge decides what becomes of a message, and does it.
func (c *Channels) judge(t txn, name, run string, m Inbound, files []string) (outcome, error) {
	if m.Report != nil {
		return outcome{}, c.reported(t, name, *m.Report)
	}
	if m.ID == "" {
		return outcome{}, nil
	}
	r, err := find(t, name)
	if err != nil {
		return outcome{}, err
	}
	seen, err := t.count("SELECT count(*) FROM channel_messages WHERE channel = ? AND mark = ?", name, hash(m.ID))
	if err != nil || seen > 0 {
		return outcome{}, err
	}
	p, err := personAt(t, name, m.Address)
	if err != nil {
		return outcome{}, err
	}
	o, err := c.may(t, r, p, m)
	if err != nil {
		return o, err
	}
	session := ""
	if o.verdict == "accepted" {
		if session, err = c.begin(t, r, p, run, m, files, &o); err != nil {
			return o, err
		}
	}
	if o.verdict == "accepted" && o.stranger.ID != "" {
		o.stranger.Session = session
		if err := saveStranger(t, o.stranger); err != nil {
			return o, err
		}
	}
	return o, c.keep(t, r, m, o, session)
}

// may says whether a message is taken, from the cheapest question to the dearest one.
func (c *Channels) may(t txn, r row, p person, m Inbound) (outcome, error) {
	switch {
	case m.Skip != "":
		return refused(m.Skip), nil
	case m.Group != "" && r.Chat.Groups != wire.ChatGroupsNamed:
		return refused("The channel answers nobody in groups."), nil
	case r.State != wire.ChannelActive || r.Policy == wire.ChannelDisabled:
		return refused("The channel takes no messages."), nil
	case m.Forged:
		return refused("The mail server says that the sender is not who they say they are."), nil
	case p.State == wire.PersonBlocked:
		return refused("The sender is blocked."), nil
	case p.State != wire.PersonPaired && r.Policy == wire.ChannelAllowlist:
		return refused("The sender is not on the list of people who may write."), nil
	case p.State != wire.PersonPaired && m.Group != "": // all in the group would see the code
		return refused("The sender has not been confirmed, and is not in a group."), nil
	case p.State != wire.PersonPaired && r.Policy == wire.ChannelPairing:
		why, err := c.greet(t, r, m)
		if err != nil || why != "" {
			return refused(why), err
		}
		return outcome{verdict: "code"}, nil
	case p.State != wire.PersonPaired:
		return c.strange(t, r, m)
	}
	if why, err := c.tooMany(t, r, m); err != nil || why != "" {
		return refused(why), err
	}
	if cmd, is := commandOf(m); is && (p.State == wire.PersonPaired || m.Press != nil) {
		meant, err := c.meant(t, r, m, cmd)
		if err != nil {
			return outcome{}, err
		}
		if meant {
			return c.obey(t, r, p, m, cmd)
		}
	}
	if m.Edited {
		return refused("A message that was changed after it was sent is not read again."), nil
	}
	return c.room(t, r, p, m, false)
}

// tooMany says that a person has written too much within an hour.
func (c *Channels) tooMany(t txn, r row, m Inbound) (why string, err error) {
	lately, err := t.count(`SELECT count(*) FROM channel_messages WHERE channel = ? AND address = ? AND at > ?
		AND verdict IN ('accepted', 'command') AND proven = ?`, r.Name, m.Address, micros(c.now().Add(-time.Hour)), m.Proven)
	most := wire.MaxChannelHour
	if m.Proven && c.owners.has(r.Name, m.Address) {
		most = maxOwnerHour // who decides about requests writes more
	}
	if err != nil || lately < most {
		return "", err
	}
	return fmt.Sprintf("The sender wrote more than %d messages within an hour.", most), nil
}

// maxOwnerHour is how many messages and decisions of the owner are read within an hour.
const maxOwnerHour = 300

// room refuses what is too much at once, and what the agent cannot work on. Strangers have room of their own: they take none from the
// owner.
func (c *Channels) room(t txn, r row, p person, m Inbound, strangers bool) (outcome, error) {
	const theirs = `EXISTS (SELECT 1 FROM channel_strangers s WHERE s.channel = channel_messages.channel
		AND s.address = channel_messages.address)`
	most, of := wire.MaxChannelOpen, " AND NOT "+theirs
	if strangers {
		most, of = wire.MaxStrangersOpen, " AND "+theirs
	}
	if !m.Proven { // leave room for those who are who they say they are
		most, of = most/2, of+" AND proven = 0"
	}
	open, err := t.count("SELECT count(*) FROM channel_messages WHERE channel = ? AND open = 1"+of, r.Name)
	if err != nil {
		return outcome{}, err
	}
	cfg := c.d.Config()
	switch {
	case open >= most:
		return refused(fmt.Sprintf("%d messages are being worked on already.", most)), nil
	case p.Owner: // learns from the answer why an agent does not work
	case !c.d.HasAgent(r.Agent) || c.d.Broken(r.Agent) || cfg.Agents[r.Agent].Off || cfg.Spend.Paused != "":
		return refused("The agent of this channel does not work now."), nil
	default:
		if p := c.d.Paused(r.Agent); p != nil {
			return refused(p.Words()), nil
		}
	}
	return outcome{verdict: "accepted"}, nil
}

// origin is who stands behind what a message begins.
func origin(r row, m Inbound) wire.Origin {
	o := wire.Origin{Channel: r.Name, Address: m.Address}
	if r.Name == wire.ChannelEmail {
		o.Email = m.Address
	}
	return o
}

// titleOf is the title of a conversation that begins with a message without a subject.
func titleOf(m Inbound) string {
	name := nameOf(m)
	if name == "" {
		return m.Address
	}
	return name + " (" + m.Address + ")"
}

// begin starts the run of a message in the conversation that it belongs to, or in a new one.
func (c *Channels) begin(t txn, r row, p person, run string, m Inbound, files []string, o *outcome) (session string, err error) {
	session, answers, err := c.conversation(t, r.Name, m)
	if err != nil {
		return "", err
	}
	known := session != ""
	if !known {
		session = uuid.Must(uuid.NewV7()).String()
	}
	s := Start{
		RunID: run, Session: session, Agent: r.Agent, Title: m.Subject, Files: files, Level: r.Level, At: c.now(),
		From: origin(r, m),
	}
	s.From.Known = p.State == wire.PersonPaired
	if o.silent {
		s.Say = saysSilent
	}
	if s.Title == "" {
		s.Title = titleOf(m)
	}
	o.flagged = c.fill(&s, p, m, answers)
	o.owner = p.Owner && m.Proven
	for _, path := range files { // also those of the owner, who passes on what others sent
		if err := c.d.Shelf.Mark(t.tx, path, source(s, m)); err != nil {
			return "", err
		}
	}
	err = c.d.Runs.Begin(t.tx, s)
	var gone *wire.RPCError
	if errors.As(err, &gone) && known { // the conversation was deleted
		s.Session = uuid.Must(uuid.NewV7()).String()
		err = c.d.Runs.Begin(t.tx, s)
	}
	if errors.As(err, &gone) {
		*o = refused(gone.Text)
		return "", nil
	}
	failpoint.Hit("message begun")
	o.start = s
	return s.Session, err
}

// saysSilent stands in a conversation in the place of an answer.
const saysSilent = "(The agent does not answer here: a person has this conversation.)"

// conversation finds that of the messages which a message refers to, among those of the same person. answers says that the message which
// it answers is one of them, and not that of somebody else who wrote in between.
func (c *Channels) conversation(t txn, channel string, m Inbound) (session string, answers bool, err error) {
	answers = true
	for _, ref := range m.Refs[:min(len(m.Refs), maxRefs)] {
		err := t.db.QueryRow(t.tx, "SELECT coalesce(max(session), '') FROM channel_refs WHERE channel = ? AND address = ? AND ref = ?",
			channel, m.Address, hash(ref)).Scan(&session)
		if err != nil || session != "" {
			return session, answers, err
		}
		answers = answers && strings.HasPrefix(ref, SentRef("")) // another name of the next one
	}
	session, err = c.chat(t, channel, m)
	return session, session != "" && len(m.Refs) == 0, err
}

// chatLife is how long a person goes on with a conversation where a messenger has no threads.
const chatLife = 24 * time.Hour

// chat is the conversation with which a person goes on, where a messenger has no threads.
func (c *Channels) chat(t txn, channel string, m Inbound) (session string, err error) {
	err = t.db.QueryRow(t.tx, "SELECT coalesce(max(session), '') FROM channel_chats WHERE channel = ? AND address = ? AND at > ?",
		channel, chatOf(m), micros(c.now().Add(-chatLife))).Scan(&session)
	if err != nil {
		return "", fmt.Errorf("read conversations: %w", err)
	}
	return session, nil
}

// goOn notes the conversation with which a person goes on.
func (c *Channels) goOn(t txn, r row, m Inbound, session string) error {
	can, err := c.can(r)
	if err != nil || can.Threads || session == "" {
		return err
	}
	return t.exec(`INSERT INTO channel_chats (channel, address, session, at) VALUES (?,?,?,?)
		ON CONFLICT (channel, address) DO UPDATE SET session = excluded.session, at = excluded.at`, r.Name, chatOf(m), session,
		micros(c.now()))
}

// chatOf names the place in which a person goes on: what they wrote in private is no part of a conversation that a group reads.
func chatOf(m Inbound) string {
	if m.Group == "" {
		return m.Address
	}
	return m.Address + " in " + m.Group
}

// maxRefs is how many messages are looked up that a message refers to.
const maxRefs = 50

// refer notes that a message belongs to a conversation with a person.
func (c *Channels) refer(t txn, channel, address, ref, session string) error {
	if ref == "" || session == "" {
		return nil
	}
	return t.exec("INSERT OR IGNORE INTO channel_refs (channel, address, ref, session, at) VALUES (?,?,?,?,?)",
		channel, address, hash(ref), session, micros(c.now()))
}

// refusedAgain counts what is refused for a reason that is on record for this hour already: anybody can write, and must not fill the disk.
func (c *Channels) refusedAgain(t txn, r row, o outcome) (bool, error) {
	if o.verdict != "refused" {
		return false, nil
	}
	n, err := t.count(`SELECT coalesce(max(seq), 0) FROM channel_messages WHERE channel = ? AND at > ? AND verdict = 'refused'
		AND reason = ?`, r.Name, micros(c.now().Add(-time.Hour)), o.reason)
	if err != nil || n == 0 {
		return false, err
	}
	return true, t.exec("UPDATE channel_messages SET times = times + 1 WHERE seq = ?", n)
}

// keep puts on record what became of a message.
func (c *Channels) keep(t txn, r row, m Inbound, o outcome, session string) error {
	m.Reply.Note = ""
	if o.verdict == "accepted" && !m.Proven && c.owners.has(r.Name, m.Address) {
		m.Reply.Note = "It is not certain that you wrote the message below, because " + m.Why +
			". It was therefore read as content from outside, and nothing was done on its word alone."
	}
	if again, err := c.refusedAgain(t, r, o); err != nil || again {
		return err
	}
	var bytes int
	for _, f := range m.Files {
		bytes += len(f.Data)
	}
	if o.verdict != "accepted" {
		bytes = 0
	}
	err := t.exec(`INSERT INTO channel_messages (channel, mark, address, at, verdict, reason, run_id, session, reply, open, proven, bytes,
		stranger) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`, r.Name, hash(m.ID), m.Address, micros(c.now()), o.verdict, o.reason, o.start.RunID,
		session, toJSON(m.Reply), o.verdict == "accepted" && !o.silent, m.Proven, bytes, o.stranger.ID != "")
	if err != nil {
		return err
	}
	if err := errors.Join(c.refer(t, r.Name, m.Address, m.Reply.ID, session), c.goOn(t, r, m, session)); err != nil {
		return err
	}
	body := map[string]any{"channel": r.Name, "address": m.Address, "reason": o.reason}
	if o.verdict == "accepted" {
		taint := o.start.Taint
		if taint == nil {
			taint = []policy.Source{}
		}
		body = map[string]any{
			"channel": r.Name, "name": r.Name, "address": m.Address, "agent": r.Agent, "owner": o.owner, "files": o.start.Files,
			"stranger": o.stranger.ID,
			"flagged":  o.flagged, "level": o.start.Level, "taint": taint, "hash": hash(m.Text + "\x00" + m.Quoted + m.Further),
		}
	}
	return c.receipt(t, "channel."+o.verdict, o.start.RunID, body)
}
