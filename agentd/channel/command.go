package channel

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gatehouse/agentd/wire"
)

// command is something that a person tells the channel itself.
type command struct {
	name string // approve, deny, new, stop, status, help
	code string // of a request
	on   string // of a press: the id of the request
	rest string // what else stands on its line
	bare bool   // without a slash: it may be a sentence that only reads like a command
}

var (
	decides = regexp.MustCompile(`(?i)^/?(approve|allow|deny)(?:@\w+)?[ \t]+([A-Z0-9]{6})\b[ \t]*(.*)$`)
	orders  = regexp.MustCompile(`(?i)^/(approve|allow|deny|new|stop|status|help|start)(?:@\w+)?(?:[ \t]+(.*))?$`)
)

// commandOf reads a command: the first line of what somebody wrote themselves. What they quote or pass on is none.
func commandOf(m Inbound) (cmd command, is bool) {
	if m.Press != nil {
		if id, yes := strings.CutPrefix(m.Press.Data, pressAllow); yes {
			return command{name: "approve", on: id}, true
		}
		if id, yes := strings.CutPrefix(m.Press.Data, pressDeny); yes {
			return command{name: "deny", on: id}, true
		}
		return command{name: "press"}, true
	}
	line, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
	line = strings.TrimSpace(line)
	if got := decides.FindStringSubmatch(line); got != nil {
		return command{
			name: asVerb(got[1]), code: strings.ToUpper(got[2]), rest: strings.TrimSpace(got[3]), bare: !strings.HasPrefix(line, "/"),
		}, true
	}
	got := orders.FindStringSubmatch(line)
	if got == nil {
		return cmd, false
	}
	return command{name: asVerb(got[1]), rest: strings.TrimSpace(got[2])}, true
}

func asVerb(word string) string {
	word = strings.ToLower(word)
	return cmp.Or(map[string]string{"allow": "approve", "start": "help"}[word], word)
}

// What commands are answered with, and to whomever. Nothing else is sent to people who are not the owner without a question.
const (
	saysHelp = "You can write:\n/new – begin a new conversation\n/stop – stop what your messages began\n" +
		"/status – how things stand\n/approve CODE – allow a request once\n/deny CODE reason – deny a request\n/help – this\n" +
		"Everything else goes to the team."
	saysNew      = "Your next message begins a new conversation."
	saysThread   = "Write a new message, not an answer: it begins a new conversation."
	saysNothing  = "Nothing that your messages began is being worked on."
	saysStopped  = "What your messages began is being stopped."
	saysStatus   = "The channel works."
	saysNotYours = "Only the owner can decide about requests. Nothing was decided."
)

func isFixed(text string) bool {
	switch text {
	case saysHelp, saysNew, saysThread, saysNothing, saysStopped, saysStatus, saysNotYours:
		return true
	}
	return false
}

// obey does what a command says, and answers it.
func (c *Channels) obey(t txn, r row, p person, m Inbound, cmd command) (o outcome, err error) {
	o = outcome{verdict: "command", reason: cmd.name}
	var text string
	switch cmd.name {
	case "approve", "deny", "press":
		text, err = c.decide(t, r, p, m, cmd)
	case "new":
		text, err = c.anew(t, r, m)
	case "stop":
		text, err = c.stop(t, r, p, m)
	case "status":
		text, err = c.status(t, r, p, m)
	default:
		text = saysHelp
	}
	if err != nil || text == "" {
		return o, err
	}
	return o, c.queue(t, letter{
		Channel: r.Name, Kind: kindReply, Address: m.Address, Subject: answerTo(r.Name, cmp.Or(m.Reply.Subject, "/"+cmd.name)), Text: text,
		Reply: m.Reply, Agent: r.Agent, Level: r.Level,
	})
}

// anew lets go of the conversation that somebody's messages went on with. Where messages have threads, the thread is the conversation.
func (c *Channels) anew(t txn, r row, m Inbound) (string, error) {
	can, err := c.can(r)
	if err != nil || can.Threads {
		return saysThread, err
	}
	return saysNew, t.exec("DELETE FROM channel_chats WHERE channel = ? AND address = ?", r.Name, chatOf(m))
}

// meant says whether a command was meant as one: what has no slash names a request that was put to this very person.
func (c *Channels) meant(t txn, r row, m Inbound, cmd command) (bool, error) {
	if !cmd.bare {
		return true, nil
	}
	n, err := t.count("SELECT count(*) FROM channel_asks WHERE channel = ? AND address = ? AND code = ?", r.Name, m.Address, cmd.code)
	return n > 0, err
}

// isOwners says whether a message is the owner's own for sure.
func isOwners(p person, m Inbound) bool { return p.Owner && p.State == wire.PersonPaired && m.Proven }

// decide carries out a decision about a request, and says what came of it. It says nothing where the message that asks will.
func (c *Channels) decide(t txn, r row, p person, m Inbound, cmd command) (string, error) {
	switch {
	case !p.Owner:
		return saysNotYours, nil
	case !isOwners(p, m):
		return "It is not certain that you wrote this, because " + m.Why + ". Nothing was decided. Decide in the portal: " +
			c.page("/app/approvals"), nil
	case m.Group != "":
		return "Nothing is decided in a group. Write to me in private.", nil
	case m.Forward:
		return "A message that is passed on decides nothing. Write the code yourself.", nil
	case m.Edited:
		return "A message that was changed after it was sent decides nothing. Write it again.", nil
	}
	asked, err := c.askedOf(t, r, m, cmd)
	if errors.Is(err, sql.ErrNoRows) {
		return "No request waits here under this code or button. Nothing was decided.", nil
	}
	if err != nil {
		return "", err
	}
	can, err := c.can(r)
	if err != nil {
		return "", err
	}
	allows := asked.may == mayAllow && can.Allows // the way may have changed since it was asked
	if asked.may == mayLook || cmd.name == "approve" && !allows {
		return "This cannot be decided here. Nothing was decided. Do it in the portal: " + c.page("/app/approvals/"+asked.approval), nil
	}
	d := wire.Decision{
		ApprovalID: asked.approval, Digest: asked.digest, Verb: wire.Deny, Reason: cmd.rest,
		By: wire.DecidedBy{Name: m.Address, Role: "owner", Channel: r.Name, Address: m.Address, Method: wire.PairedIdentity, Time: c.now()},
	}
	if cmd.name == "approve" {
		d.Verb, d.Reason = wire.AllowOnce, ""
	}
	why, err := c.d.Approvals.ApplyPaired(context.Background(), t.tx, d, p.ID)
	switch {
	case err != nil:
		return "", err
	case why != "":
		return "Nothing was decided, because " + why + ".", nil
	case cmd.on != "" && can.Edits && (asked.sentID != "" || !asked.sent):
		return "", nil // the message that asks is replaced
	case d.Verb == wire.Deny:
		return "Denied: " + asked.title, nil
	}
	return "Allowed once: " + asked.title, nil
}

// askedOf finds the request that a command is about, among those that were put to this very person. One whose message was never sent
// can be denied by its code, and not allowed: nobody has seen what it is. A button counts beneath the message
// that it was sent with, and nowhere else, as far as the provider has said which that is.
func (c *Channels) askedOf(t txn, r row, m Inbound, cmd command) (put, error) {
	if cmd.on == "" {
		return scanPut(t.tx.QueryRowContext(context.Background(), "SELECT "+putColumns+
			` WHERE a.open = 1 AND a.channel = ? AND a.address = ? AND a.code = ? AND ? <> ''
			AND (? = 'deny' OR o.state IN ('waiting', 'sent', 'unknown')) ORDER BY a.at DESC LIMIT 1`,
			r.Name, m.Address, cmd.code, cmd.code, cmd.name))
	}
	return scanPut(t.tx.QueryRowContext(context.Background(), "SELECT "+putColumns+
		` WHERE a.channel = ? AND a.address = ? AND a.approval = ?
		AND (o.sent_id = ? OR o.sent_id = '' AND o.state IN ('waiting', 'unknown'))`,
		r.Name, m.Address, cmd.on, m.Press.On))
}

// stop stops what the messages of a person began and is still being worked on.
func (c *Channels) stop(t txn, r row, p person, m Inbound) (string, error) {
	if !m.Proven {
		return saysNothing, nil
	}
	runs, err := t.texts("SELECT run_id FROM channel_messages WHERE channel = ? AND address = ? AND open = 1", r.Name, m.Address)
	if err != nil || len(runs) == 0 {
		return saysNothing, err
	}
	by := origin(r, m)
	by.Owner = p.Owner
	for _, run := range runs {
		if err := c.d.Runs.Stop(context.Background(), t.tx, run, by); err != nil {
			return "", err
		}
	}
	return saysStopped, nil
}

// status says to the owner what is being worked on and what waits for them.
func (c *Channels) status(t txn, r row, p person, m Inbound) (string, error) {
	if !isOwners(p, m) {
		return saysStatus, nil
	}
	open, err := t.count("SELECT count(*) FROM channel_messages WHERE channel = ? AND open = 1", r.Name)
	if err != nil {
		return "", err
	}
	codes, err := t.texts(`SELECT code || ' – ' || title FROM channel_asks WHERE channel = ? AND address = ? AND open = 1
		AND may <> 'look' ORDER BY at LIMIT 20`, r.Name, m.Address)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("The channel works. Agent: %s. Messages being worked on: %d.", r.Agent, open)
	if len(codes) > 0 {
		text += "\nWaiting for your decision:\n" + strings.Join(codes, "\n")
	}
	return text, nil
}

// texts reads a column.
func (t txn) texts(query string, args ...any) (all []string, err error) {
	rows, err := t.tx.QueryContext(context.Background(), query, args...)
	if err != nil {
		return nil, fmt.Errorf("read channel: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, fmt.Errorf("read channel: %w", err)
		}
		all = append(all, s)
	}
	return all, rows.Err()
}
