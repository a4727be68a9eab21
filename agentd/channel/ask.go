package channel

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// Approvals are the requests for approval of this server; the gate has them.
type Approvals interface {
	// Approval gives one; nil: there is none.
	Approval(ctx context.Context, id string) (*wire.Approval, error)
	// ApplyPaired carries out what the owner decides by their identity on a channel. why it does not; empty: it does.
	ApplyPaired(ctx context.Context, tx *sql.Tx, d wire.Decision, identity string) (why string, err error)
}

// What the owner may do with a request where it is put to them.
const (
	mayAllow = "allow" // and deny
	mayDeny  = "deny"
	mayLook  = "look"
)

// maxAsk is how many characters of a request fit into a message. What cannot be shown whole cannot be decided there.
const maxAsk = 12_000

// Asked hears of a request for approval, in the transaction that makes it: the owner's identities on the channels that want it get it.
func (c *Channels) Asked(tx *sql.Tx, a wire.Approval, from wire.Origin) error {
	t := txn{tx, c.d.DB}
	all, err := c.asking(t, from)
	for _, to := range all {
		r, broken := find(t, to.Channel)
		can, off := c.can(r)
		if broken = errors.Join(broken, off); broken != nil { // a channel that is broken must not keep others, or the portal, from asking
			c.d.Log.Error("request not put to the owner by a channel", "channel", to.Channel, "error", broken)
			continue
		}
		err = errors.Join(err, c.ask(t, a, to, r, can))
	}
	return err
}

// asking are the owner's identities on channels by which a request is put to them.
func (c *Channels) asking(t txn, from wire.Origin) (all []person, err error) {
	rows, err := t.tx.QueryContext(context.Background(), "SELECT "+personColumns+` FROM channel_people WHERE owner = 1 AND state = 'paired'
		AND channel IN (SELECT name FROM channels WHERE state = 'active' AND policy <> 'disabled'
		AND (approvals = 'all' OR approvals = 'own' AND name = ?)) ORDER BY channel, address`, from.Channel)
	if err != nil {
		return nil, fmt.Errorf("read people: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		p, err := scanPerson(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, rows.Err()
}

// ask queues the message that puts a request to one of the owner's identities.
func (c *Channels) ask(t txn, a wire.Approval, to person, r row, can Capabilities) error {
	text := redact.Text(c.question(a))
	may := mayFor(a, can, len([]rune(text)) <= maxAsk)
	l := letter{
		ID: newID(), Channel: r.Name, Kind: kindAsk, Address: to.Address, Subject: "Your approval is needed: " + oneLine(a.Summary),
		Text: short(text, maxAsk) + "\n\n" + c.how(a, may, can), Session: a.SessionID, Agent: r.Agent, Level: r.Level,
	}
	if can.Buttons {
		l.Buttons = buttonsFor(a.ID, may)
	}
	if err := c.queue(t, l); err != nil {
		return err
	}
	return t.exec(`INSERT OR IGNORE INTO channel_asks (approval, channel, address, letter, code, digest, may, title, open, at)
		VALUES (?,?,?,?,?,?,?,?,1,?)`, a.ID, r.Name, to.Address, l.ID, a.Code, a.Digest, may, oneLine(a.Summary), micros(c.now()))
}

// mayFor is what can be decided about a request by a channel.
func mayFor(a wire.Approval, can Capabilities, whole bool) string {
	switch {
	case !policy.InChannel(policy.Tier(a.Tier)) || !whole:
		return mayLook
	case !can.Allows:
		return mayDeny
	}
	return mayAllow
}

// How the data of buttons begins, before the id of the request.
const (
	pressAllow = "allow "
	pressDeny  = "deny "
)

func buttonsFor(id, may string) (all []Button) {
	if may == mayAllow {
		all = append(all, Button{Label: "Allow once", Data: pressAllow + id})
	}
	if may != mayLook {
		all = append(all, Button{Label: "Deny", Data: pressDeny + id})
	}
	return all
}

// question is a request with everything that decides what would happen.
func (c *Channels) question(a wire.Approval) string {
	var b strings.Builder
	line := func(name, text string) {
		if text = strings.Join(strings.Fields(policy.Visible(text)), " "); text != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, text)
		}
	}
	line("What would be done", a.Summary)
	b.WriteByte('\n')
	line("Agent", a.Agent)
	line("Tool", a.Tool+" ("+a.Action+")")
	line("Risk", tiers[policy.Tier(a.Tier)])
	for _, f := range a.Facts {
		line("Measured", f.Text)
	}
	line("It goes to", a.Destination)
	line("Why you are asked", a.WhyAsked)
	for _, s := range a.Taint {
		line("It has read", s.Source)
	}
	if a.Guardian != nil {
		line("Second look", a.Guardian.Verdict+": "+a.Guardian.Reason)
	}
	line("Until", a.ExpiresAt.UTC().Format("2 January 2006, 15:04")+" UTC")
	fmt.Fprintf(&b, "\nArguments:\n%s\n", quoted(indented(a.Args)))
	if a.Diff != nil {
		b.WriteByte('\n')
		line("Change of", a.Diff.Path)
		b.WriteString(quoted(a.Diff.Unified) + "\n")
	}
	if a.Reason != "" {
		fmt.Fprintf(&b, "\nWhat the agent says:\n%s\n", quoted(a.Reason))
	}
	return strings.TrimSpace(b.String())
}

// quoted marks each line of a text of an agent, or from outside, so that none of it can be taken for a line of ours.
func quoted(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		b.WriteString("| " + policy.Visible(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// tiers say in words how much a call can do.
var tiers = map[policy.Tier]string{
	policy.Green: "it reads", policy.Yellow: "it changes something, which can be undone",
	policy.YellowExternal: "it reaches somebody outside the business", policy.Red: "it destroys or removes something",
	policy.CriticalRed: "it cannot be undone, or weakens a protection",
}

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// how says what the owner can do with a request here.
func (c *Channels) how(a wire.Approval, may string, can Capabilities) string {
	press := ""
	if can.Buttons {
		press = "Press a button, or write "
	} else {
		press = "Answer with "
	}
	portal := c.page("/app/approvals/" + a.ID)
	switch may {
	case mayAllow:
		return press + "/approve " + a.Code + " to allow it once, or /deny " + a.Code + " and your reason.\nEverything else: " + portal
	case mayDeny:
		return press + "/deny " + a.Code + " and your reason to deny it. It can be allowed in the portal alone: " + portal
	}
	return "This can be decided in the portal alone: " + portal
}

// page is the address of a page of the portal, or where to look for it.
func (c *Channels) page(path string) string {
	if c.d.Page != nil {
		if at := c.d.Page(path); at != "" {
			return at
		}
	}
	return "see Approvals there."
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(policy.Visible(redact.Text(s))), " ")
	if r := []rune(s); len(r) > 150 {
		return string(r[:149]) + "…"
	}
	return s
}

// put is a request that was put to somebody.
type put struct {
	approval, channel, address, letter, code, digest, may, title string
	sentID                                                       string // of the message that asks, at the provider
	sent                                                         bool   // it is not on its way anymore
}

const putColumns = `a.approval, a.channel, a.address, a.letter, a.code, a.digest, a.may, a.title, coalesce(o.sent_id, ''),
	coalesce(o.state, '') <> 'waiting' FROM channel_asks a LEFT JOIN channel_outbox o ON o.id = a.letter`

func scanPut(from scanner) (p put, err error) {
	err = from.Scan(&p.approval, &p.channel, &p.address, &p.letter, &p.code, &p.digest, &p.may, &p.title, &p.sentID, &p.sent)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("read requests: %w", err)
	}
	return p, err
}

// tellAll tells what became of requests that were put to the owner.
func (c *Channels) tellAll(ctx context.Context) (err error) {
	rows, err := c.d.DB.Read().QueryContext(ctx, "SELECT "+putColumns+" WHERE a.open = 1 ORDER BY a.at LIMIT 500")
	if err != nil {
		return fmt.Errorf("read requests: %w", err)
	}
	var open []put
	for rows.Next() {
		p, err := scanPut(rows)
		if err != nil {
			return errors.Join(err, rows.Close())
		}
		open = append(open, p)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, p := range open {
		err = errors.Join(err, c.tell(ctx, p))
	}
	return err
}

// tell tells what became of one, once it was decided and the message that asks is not on its way anymore.
func (c *Channels) tell(ctx context.Context, p put) error {
	a, err := c.d.Approvals.Approval(ctx, p.approval)
	if err != nil || !p.sent || a != nil && a.State == wire.ApprovalPending {
		return err
	}
	return c.write(ctx, func(t txn) error {
		n, err := t.count("SELECT count(*) FROM channel_asks WHERE approval = ? AND channel = ? AND address = ? AND open = 1", p.approval,
			p.channel, p.address)
		if err != nil || n == 0 {
			return err
		}
		err = t.exec("UPDATE channel_asks SET open = 0 WHERE approval = ? AND channel = ? AND address = ?", p.approval, p.channel,
			p.address)
		if err != nil || a == nil {
			return err
		}
		return c.told(t, p, *a)
	})
}

// told queues the message that says what became of a request: in the place of the one that asked, or beneath it.
func (c *Channels) told(t txn, p put, a wire.Approval) error {
	r, err := find(t, p.channel)
	if err != nil || !r.runs() {
		return err
	}
	can, err := c.can(r)
	if err != nil {
		return err
	}
	l := letter{
		Channel: p.channel, Kind: kindTold, Address: p.address, Subject: "Re: Your approval is needed: " + p.title,
		Text: became(a) + "\n\n" + p.title + "\n(" + p.code + ")", Session: a.SessionID, Agent: r.Agent, Level: r.Level,
	}
	if can.Edits && p.sentID != "" {
		l.Edit = p.sentID
	} else {
		by := a.DecidedBy
		if by != nil && by.Channel == p.channel && by.Address == p.address { // whoever decided was answered there
			return nil
		}
		l.Reply = Reply{ID: p.sentID, Subject: p.title}
	}
	return c.queue(t, l)
}

// became says how a request stands, who decided and where.
func became(a wire.Approval) string {
	by, where := "", ""
	if d := a.DecidedBy; d != nil {
		by, where = " by "+oneLine(d.Name), " in the portal"
		switch {
		case wire.IsMessaging(d.Channel):
			where = " by " + d.Channel
		case d.Channel == "agentd":
			by, where = "", ""
		case d.Channel == "api":
			where = " by the API"
		}
	}
	reason := ""
	if a.DenyReason != "" {
		reason = ", with the words: " + oneLine(a.DenyReason)
	}
	switch a.State {
	case wire.ApprovalAllowed:
		return "Allowed" + by + where + "."
	case wire.ApprovalDenied:
		return "Denied" + by + where + reason + "."
	case wire.ApprovalExpired:
		return "Nobody answered in time, so it was not done."
	case wire.ApprovalSuperseded:
		return "Something changed, so it is asked again in another message."
	}
	return "It was withdrawn: nothing is done, and nothing is to be decided."
}

// ApprovalChanged implements gate.Listener.
func (c *Channels) ApprovalChanged(wire.Approval) { c.Wake() }

// ToolChanged implements gate.Listener.
func (*Channels) ToolChanged(string, string, wire.ToolData) {}

var _ gate.Listener = (*Channels)(nil)

// Paired says whether an identity, which has decided something, is the owner's still.
func (c *Channels) Paired(ctx context.Context, tx *sql.Tx, identity string) (bool, error) {
	const query = `SELECT count(*) FROM channel_people p JOIN channels c ON c.name = p.channel WHERE p.id = ? AND p.owner = 1
		AND p.state = 'paired' AND c.state = 'active' AND c.policy <> 'disabled' AND c.approvals <> ''`
	row := (*sql.Row)(nil)
	if tx != nil {
		row = c.d.DB.QueryRow(tx, query, identity)
	} else {
		row = c.d.DB.Read().QueryRowContext(ctx, query, identity)
	}
	var n int
	if err := row.Scan(&n); err != nil {
		return false, fmt.Errorf("read people: %w", err)
	}
	return n > 0, nil
}

// can is what the provider of a channel can do.
func (c *Channels) can(r row) (Capabilities, error) {
	ch, err := c.make(context.Background(), r, func(string) {})
	if err != nil {
		return Capabilities{}, err
	}
	return ch.Capabilities(), nil
}
