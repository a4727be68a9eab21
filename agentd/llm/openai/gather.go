package openai

import (
	"fmt"
	"slices"
	"strings"

	"gatehouse/agentd/llm"
)

// What one reply may hold; an endpoint that sends more has gone mad.
const (
	maxText  = 1 << 20 // bytes of text
	maxArgs  = 8 << 20 // bytes of all calls, most of them arguments: a file to write may be large
	maxCalls = 128
	maxUsed  = 1 << 30 // tokens
)

// gather puts a streamed reply together.
type gather struct {
	text     strings.Builder
	calls    []*building
	args     int
	usage    llm.Usage
	finished string // the endpoint's reason, empty until it gives one
}

type building struct {
	index int64
	id    string
	name  strings.Builder
	args  strings.Builder
}

func (g *gather) add(c chunk, text func(string)) error {
	if c.Usage.Total > 0 || c.Usage.Prompt > 0 {
		g.usage = llm.Usage{Input: used(c.Usage.Prompt), Output: used(c.Usage.Completion)}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		if choice.Finish != "" {
			g.finished = choice.Finish
		}
		if err := g.delta(choice.Delta, text); err != nil {
			return err
		}
	}
	return nil
}

// used is a number of tokens as it can be: one below nothing would take from what others have used.
func used(n int64) int64 { return min(max(n, 0), maxUsed) }

func (g *gather) delta(d delta, text func(string)) error {
	if said := d.Content + d.Refusal; said != "" {
		g.text.WriteString(said)
		text(said)
	}
	for _, c := range d.Calls {
		b := g.call(c)
		b.name.WriteString(c.Function.Name)
		b.args.WriteString(c.Function.Args)
		g.args += len(c.Function.Name) + len(c.Function.Args)
	}
	if g.text.Len() > maxText || g.args > maxArgs || len(g.calls) > maxCalls {
		return &llm.Error{Kind: llm.BadResponse, Detail: "the answer is larger than any sensible answer"}
	}
	return nil
}

// call finds the call that a piece belongs to. Some endpoints count all calls as index 0 and tell them apart by id.
func (g *gather) call(c piece) *building {
	for _, b := range slices.Backward(g.calls) {
		if b.index == c.Index && (c.ID == "" || b.id == "" || b.id == c.ID) {
			if b.id == "" {
				b.id, g.args = c.ID, g.args+len(c.ID)
			}
			return b
		}
	}
	b := &building{index: c.Index, id: c.ID}
	g.calls, g.args = append(g.calls, b), g.args+len(c.ID)
	return b
}

// reply is the whole answer, or why it is none: half an answer never becomes a call.
func (g *gather) reply() (llm.Reply, error) {
	r := llm.Reply{Text: g.text.String(), Usage: g.usage}
	for i, b := range g.calls {
		r.Calls = append(r.Calls, llm.Call{ID: b.id, Name: b.name.String(), Args: b.args.String()})
		if r.Calls[i].ID == "" {
			r.Calls[i].ID = fmt.Sprintf("call_%d", i)
		}
	}
	return r, g.whole(r)
}

func (g *gather) whole(r llm.Reply) error {
	switch {
	case g.finished == "":
		return &llm.Error{Kind: llm.BadResponse, Detail: "the answer broke off"}
	case g.finished == "content_filter":
		return &llm.Error{Kind: llm.Rejected, Detail: "the endpoint's content filter stopped the answer"}
	case g.finished == "length" && len(r.Calls) > 0:
		return &llm.Error{Kind: llm.BadResponse, Detail: "the answer hit the model's length limit in the middle of a tool call"}
	case r.Text == "" && len(r.Calls) == 0:
		return &llm.Error{Kind: llm.BadResponse, Detail: "the answer was empty"}
	}
	return nil
}
