package channel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// ToolName is the tool by which channels send. No model sees it.
const ToolName = "channel_send"

// SendArgs are what the tool takes: one letter of the outbox, word for word.
type SendArgs struct {
	Channel string `json:"channel"`
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`

	Buttons []Button `json:"buttons,omitempty"`
	Edit    string   `json:"edit,omitempty"`

	Files []SentFile `json:"files,omitempty"`
}

// Tool sends the letters of the outbox. The gate is its only caller.
func (c *Channels) Tool() gate.Tool { return sender{c} }

type sender struct{ c *Channels }

// sendWithin is how long a provider may take, with files on a slow line.
const sendWithin = 5 * time.Minute

// Definition implements gate.Tool. It is not idempotent: no mail server has a key by which it would know a repeat.
func (s sender) Definition() tool.Definition {
	return tool.Definition{
		Name: ToolName, Doc: "Send an answer by the channel that its question came by.", Args: tool.SchemaOf[SendArgs](), Outward: true,
		Timeout: sendWithin,
	}
}

// Receipt implements gate.Discreet: a receipt says to whom and by what, and not what was written. Whoever wrote can have that deleted.
func (s sender) Receipt(args json.RawMessage) json.RawMessage {
	in, err := tool.Parse[SendArgs](args)
	if err != nil {
		return json.RawMessage("{}")
	}
	return json.RawMessage(toJSON(map[string]any{
		"channel": in.Channel, "id": in.ID, "kind": in.Kind, "to": in.To, "hash": hash(in.Subject + "\x00" + in.Text),
		"bytes": len(in.Subject) + len(in.Text), "files": in.Files,
	}))
}

// Classify judges by the recipient: the owner, or anybody else. Texts that this program has written itself go out.
func (s sender) Classify(args json.RawMessage) policy.Class {
	in, err := tool.Parse[SendArgs](args)
	if err != nil {
		return policy.Refuse("channel.message.send", "The arguments do not fit.")
	}
	to, err := s.c.address(in.Channel, in.To)
	switch {
	case err != nil || to != in.To:
		return policy.Refuse("channel.message.send", "The recipient is not one plain address.")
	case strings.ContainsFunc(in.Subject, unicode.IsControl):
		return policy.Refuse("channel.message.send", "The subject must be one line.")
	case len(in.Files) > 0 && in.Kind != kindAnswer:
		return policy.Refuse("channel.file.send", "Files go with answers alone.")
	}
	says := fmt.Sprintf("Answer by %s to %s", policy.Visible(in.Channel), to)
	if in.Subject != "" {
		says += ": " + policy.Visible(in.Subject)
	}
	switch {
	case ownersAlone[in.Kind] && s.c.owners.has(in.Channel, to):
		return policy.Class{Tier: policy.Green, Action: "channel.approval.show", Says: says}
	case ownersAlone[in.Kind]:
		return policy.Refuse("channel.approval.show", "This goes to the owner alone.")
	case in.Kind == kindPerson: // Measure refuses every one that no person has signed
		return policy.Class{Tier: policy.Green, Action: "channel.person.write", Says: "Send what a person wrote to " + to}
	case in.Kind == kindReply && (isFixed(in.Text) || isStrangerText(in.Text) || s.c.owners.has(in.Channel, to)):
		return policy.Class{Tier: policy.Green, Action: "channel.command.answer", Says: says}
	case in.Kind == kindAnswer && s.c.owners.has(in.Channel, to):
		return policy.Class{Tier: policy.Green, Action: "channel.message.reply", Says: says}
	case in.Kind == kindCode && in.Subject == codeSubject(in.Channel) && isCodeText(in.Channel, in.Text):
		return policy.Class{Tier: policy.Green, Action: "channel.code.send", Says: "Send a code to " + to}
	case in.Kind == kindTest && in.Text == testText:
		return policy.Class{Tier: policy.Green, Action: "channel.test.send", Says: "Send a test message to " + to}
	}
	action := "channel.message.send"
	if len(in.Files) > 0 { // what a person allows for texts says nothing about files
		action, says = "channel.file.send", says+", with "+tool.Count(int64(len(in.Files)), "file", "files")
	}
	return policy.Class{Tier: policy.YellowExternal, Action: action, Says: says, Outside: []string{to}}
}

// ownersAlone are the kinds of what nobody but the owner is sent.
var ownersAlone = map[string]bool{kindAsk: true, kindTold: true}

// Measure refuses everything that is not a letter of the outbox as it stands there.
func (s sender) Measure(ctx context.Context, args json.RawMessage) (gate.Measured, error) {
	in, l, err := s.letter(ctx, args)
	if err != nil {
		return gate.Measured{}, err
	}
	if err := s.c.mayEnclose(ctx, in); err != nil {
		return gate.Measured{}, err
	}
	if _, err := s.c.copies.read(l.ID, l.Files); err != nil {
		return gate.Measured{}, err
	}
	words := int64(len(strings.Fields(in.Text)))
	return gate.Measured{Frozen: json.RawMessage(toJSON(l.ID)), Facts: append([]tool.Fact{
		{Name: "recipients", Value: 1, Text: "1 recipient: " + in.To},
		{Name: "bytes", Value: int64(len(in.Text)), Text: tool.Count(words, "word", "words")},
	}, sentFacts(l.Files)...)}, nil
}

// Carries implements gate.Carrier: what stands in the files leaves as well.
func (s sender) Carries(ctx context.Context, args json.RawMessage) (text string, whole bool, err error) {
	_, l, err := s.letter(ctx, args)
	if err != nil {
		return "", false, err
	}
	files, err := s.c.copies.read(l.ID, l.Files)
	if err != nil {
		return "", false, err
	}
	var all strings.Builder
	whole = true
	for _, f := range files {
		if !isText(f.Data) {
			whole = false
			continue
		}
		all.WriteString(string(f.Data) + "\n")
	}
	return all.String(), whole, nil
}

// letter finds the letter that a call is about.
func (s sender) letter(ctx context.Context, args json.RawMessage) (SendArgs, letter, error) {
	in, err := tool.Parse[SendArgs](args)
	if err != nil {
		return in, letter{}, err
	}
	l, err := s.c.letter(ctx, in.ID)
	if err != nil || l.State != "waiting" || toJSON(in) != toJSON(l.args()) {
		return in, l, tool.Refuse("This is no message that waits to be sent.")
	}
	return in, l, nil
}

// Run implements gate.Tool.
func (s sender) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, l, err := s.letter(ctx, args)
	if err == nil && l.CallID != p.CallID() {
		err = tool.Refuse("This is no message that waits to be sent.")
	}
	if err == nil {
		err = s.c.mayEnclose(ctx, in)
	}
	var files []File
	if err == nil {
		files, err = s.c.copies.read(l.ID, l.Files)
	}
	if err != nil {
		return tool.Result{}, err
	}
	ch := s.c.channel(in.Channel)
	if ch == nil {
		s.c.fates.put(p.CallID(), fate{known: true})
		return tool.Result{}, tool.Refuse("The channel does not run. Nothing was sent.")
	}
	d, err := ch.Send(ctx, p, Outbound{
		ID: l.ID, To: in.To, Subject: in.Subject, Text: in.Text, Buttons: in.Buttons, Edit: in.Edit, Reply: l.Reply,
		Files: files, Page: s.c.pageOf(l), Args: args,
	})
	failpoint.Hit("message sent")
	var no *tool.Refused
	var later *Later
	switch {
	case errors.As(err, &later):
		s.c.fates.put(p.CallID(), fate{known: true, after: min(later.After, maxLater)})
		return tool.Result{}, tool.Refuse("%s Nothing was sent.", later.Text)
	case errors.As(err, &no):
		s.c.fates.put(p.CallID(), fate{known: true})
		return tool.Result{}, err
	case err != nil:
		return tool.Result{}, &tool.Unknown{Err: err}
	}
	s.c.fates.put(p.CallID(), fate{sent: d.ID})
	return tool.Result{
		Text: "Sent to " + in.To + ".", Summary: "Sent by " + in.Channel + " to " + in.To,
		Effects: []tool.Effect{{Kind: "sent", Target: in.To, Count: 1}}, Meta: map[string]any{"message_id": d.ID},
	}, nil
}

// pageOf is where the owner reads a letter to them in the portal; empty: it is for somebody else, or nobody knows the address.
func (c *Channels) pageOf(l letter) string {
	switch {
	case c.d.Page == nil || !c.owners.has(l.Channel, l.Address):
		return ""
	case ownersAlone[l.Kind] && (l.Kind != kindTold || l.Session != ""): // else it tells of people who write, and of no request
		return c.d.Page("/app/approvals")
	case l.Session != "":
		return c.d.Page("/app/chat/" + l.Session)
	}
	return c.d.Page("/app/channels")
}

// maxLater is how long a provider may ask to wait.
const maxLater = time.Hour

// testText is all that a test message says.
const testText = "This is a test message. The channel works: your team can write to you here."

// How long a test may take: a person waits for it at a page, whose connection is cut after 30 s.
const (
	checkWithin = 12 * time.Second
	testWithin  = 22 * time.Second
)

// test looks whether a channel works now, and sends a message that shows it.
func (c *Channels) test(ctx context.Context, p wire.ChannelTest) (wire.ChannelTested, error) {
	ctx, end := context.WithTimeout(ctx, testWithin)
	defer end()
	r, err := c.byName(ctx, p.Channel)
	if err != nil || r.State == wire.ChannelRemoved {
		return wire.ChannelTested{}, errNone
	}
	ch, err := c.make(ctx, r, func(string) {})
	if err != nil {
		return wire.ChannelTested{}, err
	}
	checking, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	var out wire.ChannelTested
	out.Reads, out.Sends = ch.Check(checking)
	if p.To == "" || out.Sends != "" || r.State != wire.ChannelActive {
		return out, nil
	}
	return c.sendTest(ctx, r, p.To, out)
}

// sendTest sends a message to one of the business's own people, and says how far that came in time.
func (c *Channels) sendTest(ctx context.Context, r row, address string, out wire.ChannelTested) (wire.ChannelTested, error) {
	to, err := c.address(r.Name, address)
	if err != nil || !c.owners.has(r.Name, to) && policy.Classify("message", json.RawMessage(toJSON(policy.MessageArgs{
		To: to, Subject: "x", Text: "x",
	})), policy.Env{Inside: c.d.Config().Inside}).Tier != policy.Green {
		return out, badRequest("A test message goes to the owner or to a member of the business. Nothing was sent.")
	}
	subject := ""
	if r.Name == wire.ChannelEmail {
		subject = "Test of your team's mailbox"
	}
	l := letter{
		ID: newID(), Channel: r.Name, Kind: kindTest, Address: to, Subject: subject, Text: testText, Agent: r.Agent,
		Level: r.Level,
	}
	if err := c.write(ctx, func(t txn) error { return c.queue(t, l) }); err != nil {
		return out, err
	}
	wait := time.NewTicker(100 * time.Millisecond)
	defer wait.Stop()
	for {
		now, err := c.letter(context.WithoutCancel(ctx), l.ID)
		if err != nil || now.State != "waiting" {
			out.Sent, out.Why = now.State, now.Why
			return out, err
		}
		select {
		case <-ctx.Done(): // it is sent all the same
			out.Sent = now.State
			return out, nil
		case <-wait.C:
		}
	}
}
