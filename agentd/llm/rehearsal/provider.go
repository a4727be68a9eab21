package rehearsal

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"gatehouse/agentd/llm"
)

// Provider is the rehearsal model.
type Provider struct {
	pause time.Duration
}

// New makes a rehearsal model that waits for pause between two words; DefaultPause looks like a quick model.
func New(pause time.Duration) *Provider { return &Provider{pause: pause} }

// DefaultPause is the pace of the demo.
const DefaultPause = 12 * time.Millisecond

// Name is "rehearsal", which pages show as what it is.
func (p *Provider) Name() string { return "rehearsal" }

// Rehearsal is true.
func (p *Provider) Rehearsal() bool { return true }

// Stream answers the last message of the conversation.
func (p *Provider) Stream(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
	m := next(readTurn(o))
	if text, asked := judge(o); asked {
		m = move{text: text}
	}
	if err := p.speak(ctx, m.text, text); err != nil {
		return llm.Reply{}, err
	}
	r := llm.Reply{Text: m.text, Usage: llm.Usage{Output: tokens(m.text)}}
	for i, u := range m.uses {
		args, err := json.Marshal(u.args)
		if err != nil {
			return llm.Reply{}, &llm.Error{Kind: llm.BadResponse, Detail: "rehearsal wrote arguments that are no JSON", Err: err}
		}
		r.Calls = append(r.Calls, llm.Call{ID: fmt.Sprintf("rehearsal_%d_%d", len(o.Messages()), i), Name: u.tool, Args: string(args)})
		r.Usage.Output += tokens(string(args))
	}
	for _, m := range o.Messages() {
		r.Usage.Input += tokens(m.Text)
	}
	return r, nil
}

// speak streams a text word by word.
func (p *Provider) speak(ctx context.Context, s string, text func(string)) error {
	for s != "" {
		if err := ctx.Err(); err != nil {
			return err
		}
		word := firstWord(s)
		s = s[len(word):]
		text(word)
		if s == "" || p.pause <= 0 {
			continue
		}
		select {
		case <-time.After(p.pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// firstWord is a word with the space behind it.
func firstWord(s string) string {
	inWord := true
	for i, r := range s {
		if unicode.IsSpace(r) {
			inWord = false
		} else if !inWord {
			return s[:i]
		}
	}
	return s
}

// tokens is the usual estimate: four characters each.
func tokens(s string) int64 { return int64(len(strings.TrimSpace(s))+3) / 4 }
