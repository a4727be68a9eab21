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

// What a tool may say of outside content besides MetaOutside, as text.
const (
	MetaSource = "outside_source" // what it is: "mail", "web page"
	MetaSender = "outside_sender" // who wrote it
	MetaID     = "outside_id"     // which one it is
)

// Ingress makes content from outside fit to be read by a model: as a block that cannot be closed from within.
type Ingress interface {
	// Wrap answers the block, and which known patterns of an attack it saw.
	Wrap(source, sender, id, text string) (block string, flagged []string)
}

// Leaving is what a call would carry out of the business.
type Leaving struct {
	Tool       string
	Recipients []string // outside, in the form in which they are compared
	Known      []string // whom the owner named in this run, and to whom people allowed something before
	Text       string
}

// Outgoing looks at text that is about to leave the business.
type Outgoing interface {
	// Look answers allow, block or escalate, and the kinds of what it found.
	Look(l Leaving) (policy.Opinion, []string)
	// Left says that something did go to these recipients, as far as anyone can tell.
	Left(recipients []string)
}

// origin is where the content of this result came from.
func (p *pass) origin(meta map[string]any) policy.Source {
	word := func(key string) string {
		s, _ := meta[key].(string)
		return clip(strings.TrimSpace(s), 200)
	}
	from := policy.Source{Source: word(MetaSource), ID: word(MetaID)}
	if from.Source == "" {
		from.Source = p.tool()
	}
	if sender := word(MetaSender); sender != "" {
		from.Source += " from " + sender
	}
	if from.ID == "" {
		from.ID = p.c.ID
	}
	return from
}

// wrapped marks a text from outside, and remembers what was noticed in it for the receipt.
func (p *pass) wrapped(text string, meta map[string]any) string {
	from := p.origin(meta)
	p.brought = append(p.brought, from)
	if p.g.d.Ingress == nil {
		return tagged(text)
	}
	sender, _ := meta[MetaSender].(string)
	kind, _ := meta[MetaSource].(string)
	if kind == "" {
		kind = p.tool()
	}
	type block struct {
		text    string
		flagged []string
	}
	b, err := look(context.Background(), func(context.Context) (b block, err error) {
		b.text, b.flagged = p.g.d.Ingress.Wrap(kind, sender, from.ID, text)
		return b, nil
	})
	if err != nil {
		p.g.d.Log.Error("content from outside not made fit to be read", "tool", p.c.Tool, "call_id", p.c.ID, "error", err)
		return tagged(unwrapped)
	}
	p.flagged = b.flagged
	return b.text
}

// unwrapped stands for a text from outside that could not be made fit to be read.
const unwrapped = "This came from outside and could not be made fit to be read, so it is not shown."

// leaves says whether some of the arguments go to somebody outside, or to a host.
func (p *pass) leaves() bool {
	return p.class.Tier == policy.YellowExternal || len(p.class.Outside) > 0 || p.c.Tool == "http_request" || p.c.Tool == "browser"
}

// scan is a part of stage 3: what would leave is looked at before anyone decides.
func (p *pass) scan(ctx context.Context) error {
	p.outgoing, p.outgoingWhy, p.found = "", "", nil
	if p.g.d.Outgoing == nil || !p.leaves() {
		return nil
	}
	known, err := p.known(ctx)
	if err != nil {
		return err
	}
	l := Leaving{Tool: p.c.Tool, Recipients: p.class.Outside, Known: known, Text: spoken(p.c.Args)}
	said, err := look(ctx, func(context.Context) (v scanned, err error) {
		v.opinion, v.kinds = p.g.d.Outgoing.Look(l)
		return v, nil
	})
	if err != nil {
		return p.stopped(ctx, "outgoing", err)
	}
	p.heed(said.opinion, said.kinds)
	return nil
}

// scanned is what the scan of what leaves says.
type scanned struct {
	opinion policy.Opinion
	kinds   []string
}

// maxKnown bounds how far back it is looked for those whom people allowed something to go to.
const maxKnown = 200

// known are the recipients that are no strangers: whom the owner names in this run, and whom a person allowed before.
func (p *pass) known(ctx context.Context) ([]string, error) {
	known := addresses(p.c.Request)
	rows, err := p.g.d.DB.Read().QueryContext(ctx, `SELECT coalesce(json_extract(body, '$.destination'), '') FROM gate_approvals
		WHERE tool = ? AND state = 'allowed' AND edited = '' ORDER BY id DESC LIMIT ?`, p.c.Tool, maxKnown)
	if err != nil {
		return nil, fmt.Errorf("read known recipients: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var to string
		if err := rows.Scan(&to); err != nil {
			return nil, fmt.Errorf("read known recipients: %w", err)
		}
		known = append(known, addresses(to)...)
	}
	return known, rows.Err()
}

// addresses are the words of a text that look like an address of mail.
func addresses(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:<>()[]\"'", r) })
	var all []string
	for _, w := range words {
		if w = strings.TrimRight(w, ".!?"); strings.Contains(w, "@") {
			all = append(all, w)
		}
	}
	return all
}

// left counts what went out. A call of which nobody knows what it did counts too.
func (p *pass) left(s wire.ToolState) {
	if p.g.d.Outgoing == nil || !p.leaves() || p.class.Tier == policy.Green || s != wire.ToolDone && s != wire.ToolUnknown {
		return
	}
	to := p.class.Outside
	err := guard(context.Background(), measureWithin, func(context.Context) error {
		p.g.d.Outgoing.Left(to)
		return nil
	})
	if err != nil {
		p.g.d.Log.Error("what left is not counted", "tool", p.c.Tool, "call_id", p.c.ID, "error", err)
	}
}

// heed keeps what the scan says for the decision.
func (p *pass) heed(verdict policy.Opinion, kinds []string) {
	p.found = kinds
	switch verdict {
	case policy.Harmless:
	case policy.Block:
		p.outgoing, p.outgoingWhy = policy.Deny, "what would leave holds what must not: "+strings.Join(kinds, ", ")
	default:
		p.outgoing, p.outgoingWhy = policy.Ask, "what would leave has to be looked at: "+strings.Join(kinds, ", ")
	}
}

// spoken is every text in some arguments, names of fields included, one to a line.
func spoken(args json.RawMessage) string {
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
