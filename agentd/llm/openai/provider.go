package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"gatehouse/agentd/llm"
)

// Config names an endpoint.
type Config struct {
	BaseURL string // with /v1 where the endpoint wants it
	Model   string
	Key     string     // empty: none is sent
	Limits  llm.Limits // zero values: llm.DefaultLimits

	Transport    http.RoundTripper // nil: http.DefaultTransport
	AgentHeader  string            // names the agent that asks; empty: nobody is told
	ParentHeader string            // names the agent for which a sub-agent asks, likewise
	RunHeader    string            // names the root run for which is asked, likewise

	ProviderHeader string // of an answer: names the endpoint that gave it; empty: it is that of BaseURL
}

// Provider asks one model at one endpoint.
type Provider struct {
	model  string
	agent  string // header that names who asks
	parent string // header that names for whom
	run    string // header that names for which root run

	provider string // header of an answer that names the endpoint
	host     string // of the base URL
	limits   llm.Limits
	client   sdk.Client
	tools    toolbox
}

// New makes a Provider; it does not connect. It reads nothing from the environment.
func New(c Config) (*Provider, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("model base URL %q: want http(s)://host[:port]/path", c.BaseURL)
	}
	if c.Model == "" {
		return nil, errors.New("model name is missing")
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	opts := []option.RequestOption{
		option.WithBaseURL(c.BaseURL),
		option.WithMaxRetries(0), // a failure is told at once; who asked decides about another try
		option.WithHTTPClient(&http.Client{Transport: transport{next: c.Transport}}),
	}
	if c.Key != "" {
		opts = append(opts, option.WithAPIKey(c.Key))
	}
	return &Provider{
		model: c.Model, agent: c.AgentHeader, parent: c.ParentHeader, run: c.RunHeader,
		limits: withDefaults(c.Limits), client: sdk.Client{Options: opts}, provider: c.ProviderHeader, host: u.Host,
	}, nil
}

func withDefaults(l llm.Limits) llm.Limits {
	if l.FirstByte <= 0 {
		l.FirstByte = llm.DefaultLimits.FirstByte
	}
	if l.Stall <= 0 {
		l.Stall = llm.DefaultLimits.Stall
	}
	return l
}

// Name is the model's name.
func (p *Provider) Name() string { return p.model }

// Rehearsal is false: this is a real model.
func (p *Provider) Rehearsal() bool { return false }

// Stream asks the endpoint.
func (p *Provider) Stream(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
	body, err := p.body(o)
	if err != nil {
		return llm.Reply{}, err
	}
	ctx, w := watch(ctx, p.limits)
	defer w.stop()
	var res *http.Response
	err = p.client.Post(ctx, "chat/completions", body, &res, p.asking(o)...)
	stream := ssestream.NewStream[chunk](ssestream.NewDecoder(res), err)
	defer closeStream(stream)
	var g gather
	for stream.Next() {
		if err := g.add(stream.Current(), text); err != nil {
			return llm.Reply{}, err
		}
	}
	if err := stream.Err(); err != nil {
		return llm.Reply{}, failure(ctx, err)
	}
	return g.reply()
}

// asking names the agent to an endpoint that wants to know.
func (p *Provider) asking(o llm.Outgoing) []option.RequestOption {
	if p.agent == "" || o.Agent() == "" {
		return nil
	}
	opts := []option.RequestOption{option.WithHeader(p.agent, o.Agent())}
	if p.parent != "" && o.Parent() != "" {
		opts = append(opts, option.WithHeader(p.parent, o.Parent()))
	}
	if p.run != "" && o.Run() != "" {
		opts = append(opts, option.WithHeader(p.run, o.Run()))
	}
	return opts
}

// closeStream ends the connection of a stream that was left early. What closing answers no longer matters: the reply
// or its failure is known.
func closeStream(s *ssestream.Stream[chunk]) { _ = s.Close() }
