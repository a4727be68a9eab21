package gate

import (
	"context"
	"strings"

	"gatehouse/agentd/policy"
)

// Texts in the Meta of a Result that describe content from outside, besides MetaOutside.
const (
	MetaSource = "outside_source" // what it is: "mail", "web page"
	MetaSender = "outside_sender" // who wrote it
	MetaID     = "outside_id"     // which one it is
)

// Ingress makes content from outside safe for a model to read: as a block that cannot be closed from within.
type Ingress interface {
	// Wrap answers the block, and which known patterns of an attack it saw.
	Wrap(source, sender, id, text string) (block string, flagged []string)
}

// resultSource is where the content of this result came from.
func (p *pipeline) resultSource(meta map[string]any) policy.Source {
	word := func(key string) string {
		s, _ := meta[key].(string)
		return clip(strings.TrimSpace(s), 200)
	}
	from := policy.Source{Source: word(MetaSource), ID: word(MetaID)}
	if from.Source == "" {
		from.Source = p.toolName()
	}
	if sender := word(MetaSender); sender != "" {
		from.Source += " from " + sender
	}
	if from.ID == "" {
		from.ID = p.call.ID
	}
	return from
}

// wrapOutside marks a text from outside and remembers, for the receipt, the patterns noticed in it.
func (p *pipeline) wrapOutside(text string, meta map[string]any) string {
	from := p.resultSource(meta)
	p.resultSources = append(p.resultSources, from)
	if p.deps.Ingress == nil {
		return tagOutside(text)
	}
	sender, _ := meta[MetaSender].(string)
	kind, _ := meta[MetaSource].(string)
	if kind == "" {
		kind = p.toolName()
	}
	type block struct {
		text    string
		flagged []string
	}
	b, err := boundedValue(context.Background(), func(context.Context) (b block, err error) {
		b.text, b.flagged = p.deps.Ingress.Wrap(kind, sender, from.ID, text)
		return b, nil
	})
	if err != nil {
		p.log.Error("content from outside not made fit to be read", "tool", p.call.Tool, "call_id", p.call.ID, "error", err)
		return tagOutside(outsideUnreadable)
	}
	p.attackPatterns = b.flagged
	return b.text
}

// outsideUnreadable replaces a text from outside that could not be wrapped.
const outsideUnreadable = "This came from outside and could not be made fit to be read, so it is not shown."
