package message

import (
	"context"
	"encoding/json"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// Config says how mail leaves this server.
type Config struct {
	Addr   string           // host:port of the SMTP server; empty: this server sends no mail
	From   string           // the sender's address, with or without a name
	Inside func() []string  // verified addresses of the customer's own users, as they are now
	Now    func() time.Time // the clock
}

// Tool sends mail.
type Tool struct{ cfg Config }

// New makes the tool.
func New(cfg Config) *Tool { return &Tool{cfg: cfg} }

// Definition says what the model sees. It is not idempotent: after a crash in the middle of a conversation with a
// mail server nobody can tell whether the mail left. The Message-ID is made from the call id, so that a person, and
// many a mail server, can.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "message",
		Doc:  "Send one e-mail to one person. Mail to people outside the business is asked first, unless the owner lets it go ahead.",
		Args: tool.SchemaOf[policy.MessageArgs](), Outward: true, Timeout: time.Minute,
	}
}

// Classify judges by the recipient: inside or outside the business.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("message", args, policy.Env{Inside: t.cfg.Inside()})
}

// Measure tells who would get it and how much it is, and freezes the address in the form in which it was judged.
func (t *Tool) Measure(_ context.Context, args json.RawMessage) (gate.Measured, error) {
	in, to, err := parse(args)
	if err != nil {
		return gate.Measured{}, err
	}
	if t.cfg.Addr == "" {
		return gate.Measured{}, tool.Refuse("This server has no way to send mail. The owner can set one up.")
	}
	frozen, err := json.Marshal(to)
	if err != nil {
		return gate.Measured{}, fmt.Errorf("message: %w", err)
	}
	words := int64(len(strings.Fields(in.Text)))
	return gate.Measured{Frozen: frozen, Facts: []tool.Fact{
		{Name: "recipients", Value: 1, Text: "1 recipient: " + to},
		{Name: "senders", Value: 1, Text: "from " + t.sender()},
		{Name: "bytes", Value: int64(len(in.Text)), Text: tool.Count(words, "word", "words")},
	}}, nil
}

// sender is the address that the mail comes from, without a name.
func (t *Tool) sender() string {
	from, err := mail.ParseAddress(t.cfg.From)
	if err != nil {
		return t.cfg.From // sending refuses it, and says why
	}
	return from.Address
}

// Run sends the mail.
func (t *Tool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, to, err := parse(args)
	if err != nil {
		return tool.Result{}, err
	}
	if t.cfg.Addr == "" {
		return tool.Result{}, tool.Refuse("This server has no way to send mail. Nothing was sent.")
	}
	in.To, in.Subject, in.Text = to, redact.Text(in.Subject), redact.Text(in.Text)
	m, id, err := t.build(p.CallID(), in)
	if err != nil {
		return tool.Result{}, fmt.Errorf("message: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("message: %w", err)
	}
	if err := t.send(ctx, m); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{
		Text: "Sent to " + to + ".", Summary: "E-mail to " + to + ": " + policy.Visible(in.Subject),
		Effects: []tool.Effect{{Kind: "sent", Target: to, Count: 1}}, Meta: map[string]any{"message_id": id},
	}, nil
}

// parse reads the arguments and the address in the form in which it was judged.
func parse(args json.RawMessage) (policy.MessageArgs, string, error) {
	in, err := tool.Parse[policy.MessageArgs](args)
	if err != nil {
		return in, "", fmt.Errorf("message: %w", err)
	}
	to, err := policy.Address(in.To)
	if err != nil {
		return in, "", tool.Refuse("The recipient is not one plain e-mail address.")
	}
	return in, to, nil
}
