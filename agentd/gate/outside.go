package gate

import (
	"encoding/json"
	"strings"

	"gatehouse/agentd/policy"
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

// Outgoing looks at text that is about to leave the business.
type Outgoing interface {
	// Look answers allow, block or escalate for text that goes to these recipients by a tool, and the kinds of what it
	// found.
	Look(tool string, recipients []string, text string) (policy.Opinion, []string)
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
	block, flagged := p.g.d.Ingress.Wrap(kind, sender, from.ID, text)
	p.flagged = flagged
	return block
}

// leaves says whether some of the arguments go to somebody outside, or to a host.
func (p *pass) leaves() bool {
	return p.class.Tier == policy.YellowExternal || len(p.class.Outside) > 0 || p.c.Tool == "http_request" || p.c.Tool == "browser"
}

// scan is a part of stage 3: what would leave is looked at before anyone decides.
func (p *pass) scan() {
	p.outgoing, p.outgoingWhy, p.found = "", "", nil
	if p.g.d.Outgoing == nil || !p.leaves() {
		return
	}
	verdict, kinds := p.g.d.Outgoing.Look(p.c.Tool, p.class.Outside, spoken(p.c.Args))
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
