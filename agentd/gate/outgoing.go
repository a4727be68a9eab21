package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// Leaving is what a call would send out of the business.
type Leaving struct {
	Tool       string
	Recipients []string // outside, in the form in which they are compared
	Known      []string // named by the owner in this run, or allowed by a person before
	Text       string
	Unread     bool // some of it cannot be read as text
}

// Outgoing scans text that is about to leave the business.
type Outgoing interface {
	// Look answers allow, block or escalate, and the kinds of what it found.
	Look(l Leaving) (policy.Opinion, []string)
	// Left says that something did go to these recipients, as far as anyone can tell.
	Left(recipients []string)
}

// goesOutside reports whether some of the arguments go to a person outside, or to a host.
func (p *pipeline) goesOutside() bool {
	return p.class.Tier == policy.YellowExternal || len(p.class.Outside) > 0 || p.call.Tool == "http_request" || p.call.Tool == "browser"
}

// scanOutgoing is part of stage 3: what would leave is scanned before anyone decides.
func (p *pipeline) scanOutgoing(ctx context.Context) error {
	p.scanEffect, p.scanWhy, p.scanKinds = "", "", nil
	if p.deps.Outgoing == nil || !p.goesOutside() {
		return nil
	}
	known, err := p.knownRecipients(ctx)
	if err != nil {
		return err
	}
	l := Leaving{Tool: p.call.Tool, Recipients: p.class.Outside, Known: known, Text: argTexts(p.call.Args)}
	if err := p.addCarried(ctx, &l); err != nil {
		return err
	}
	said, err := boundedValue(ctx, func(context.Context) (v scanResult, err error) {
		v.opinion, v.kinds = p.deps.Outgoing.Look(l)
		return v, nil
	})
	if err != nil {
		return p.lookError(ctx, "outgoing", err)
	}
	p.keepScanResult(said.opinion, said.kinds)
	return nil
}

// addCarried adds what a call would send besides its arguments.
func (p *pipeline) addCarried(ctx context.Context, l *Leaving) error {
	c, is := p.tool.(Carrier)
	if !is {
		return nil
	}
	type carried struct {
		text  string
		whole bool
	}
	args := p.call.Args
	got, err := boundedValue(ctx, func(ctx context.Context) (v carried, err error) {
		v.text, v.whole, err = c.Carries(ctx, args)
		return v, err
	})
	if err != nil {
		return p.lookError(ctx, "outgoing", err)
	}
	l.Text, l.Unread = l.Text+got.text, !got.whole
	return nil
}

// scanResult is the verdict of a scan and the kinds of what it found.
type scanResult struct {
	opinion policy.Opinion
	kinds   []string
}

// maxKnownRecipients is how many past approvals are searched for known recipients.
const maxKnownRecipients = 200

// knownRecipients are the recipients that the owner names in this run, or that a person allowed before.
func (p *pipeline) knownRecipients(ctx context.Context) ([]string, error) {
	known := findAddresses(p.call.Request)
	rows, err := p.db.Read().QueryContext(ctx, `SELECT coalesce(json_extract(body, '$.destination'), '') FROM gate_approvals
		WHERE tool = ? AND state = 'allowed' AND edited = '' ORDER BY id DESC LIMIT ?`, p.call.Tool, maxKnownRecipients)
	if err != nil {
		return nil, fmt.Errorf("read known recipients: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var to string
		if err := rows.Scan(&to); err != nil {
			return nil, fmt.Errorf("read known recipients: %w", err)
		}
		known = append(known, findAddresses(to)...)
	}
	return known, rows.Err()
}

// findAddresses finds the words of a text that look like e-mail addresses.
func findAddresses(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:<>()[]\"'", r) })
	var all []string
	for _, w := range words {
		if w = strings.TrimRight(w, ".!?"); strings.Contains(w, "@") {
			all = append(all, w)
		}
	}
	return all
}

// countSent counts what went out. A call with an unknown outcome counts too.
func (p *pipeline) countSent(s wire.ToolState) {
	if p.deps.Outgoing == nil || !p.goesOutside() || p.class.Tier == policy.Green || s != wire.ToolDone && s != wire.ToolUnknown {
		return
	}
	to := p.class.Outside
	err := bounded(context.Background(), measureWithin, func(context.Context) error {
		p.deps.Outgoing.Left(to)
		return nil
	})
	if err != nil {
		p.log.Error("what left is not counted", "tool", p.call.Tool, "call_id", p.call.ID, "error", err)
	}
}

// keepScanResult keeps the result of the scan for the decision.
func (p *pipeline) keepScanResult(verdict policy.Opinion, kinds []string) {
	p.scanKinds = kinds
	switch verdict {
	case policy.Harmless:
	case policy.Block:
		p.scanEffect, p.scanWhy = policy.Deny, "what would leave holds what must not: "+strings.Join(kinds, ", ")
	default:
		p.scanEffect, p.scanWhy = policy.Ask, "what would leave has to be looked at: "+strings.Join(kinds, ", ")
	}
}

// argTexts is every text in some arguments, names of fields included, one to a line.
func argTexts(args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return string(args)
	}
	var out strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out.WriteString(v + "\n")
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for k, one := range v {
				out.WriteString(k + "\n")
				walk(one)
			}
		}
	}
	walk(v)
	return out.String()
}
