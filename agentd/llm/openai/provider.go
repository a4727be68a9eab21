package openai

import (
	"context"

	"gatehouse/agentd/llm"
)

// Config names an endpoint.
type Config struct {
	BaseURL string // with /v1 where the endpoint wants it
	Model   string
	Key     string // empty: none is sent
	Limits  llm.Limits
}

// Provider asks one model at one endpoint.
type Provider struct{ cfg Config }

// New makes a Provider; it does not connect.
func New(c Config) (*Provider, error) { return &Provider{cfg: c}, nil }

// Name is the model's name.
func (p *Provider) Name() string { return p.cfg.Model }

// Rehearsal is false: this is a real model.
func (p *Provider) Rehearsal() bool { return false }

// Stream asks the endpoint.
func (p *Provider) Stream(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
	return llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Detail: "not built"}
}
