package rehearsal

import (
	"context"
	"time"

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
	return llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Detail: "not built"}
}
