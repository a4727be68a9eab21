package via

import (
	"context"
	"errors"
	"net/http"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/openai"
	"gatehouse/agentd/llm/proxy"
)

// Provider asks a model through the proxy. It is llm.Provider and llm.Waiter.
type Provider struct {
	*openai.Provider
	way *Way
}

var (
	_ llm.Waiter   = (*Provider)(nil)
	_ llm.Embedder = (*Provider)(nil)
)

// Provider makes one for a model of the proxy's settings.
func (w *Way) Provider(model string, limits llm.Limits) (*Provider, error) {
	p, err := openai.New(openai.Config{
		BaseURL: Base, Model: model, Key: w.opt.Token, Limits: limits, Transport: transport{w.client.Transport}, AgentHeader: proxy.AgentHeader,
		ParentHeader: proxy.ParentHeader, RunHeader: proxy.RunHeader, ProviderHeader: proxy.ProviderHeader,
	})
	if err != nil {
		return nil, err
	}
	return &Provider{p, w}, nil
}

// Stream asks the model. When the proxy is away, or goes away before the answer is whole, the error's kind is
// llm.Away: nothing was lost but the answer, and it may be asked for again after Wait.
func (p *Provider) Stream(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
	return through(ctx, p.way, func() (llm.Reply, error) { return p.Provider.Stream(ctx, o, text) })
}

// Embed asks for vectors; of a proxy that is away it says the same as Stream.
func (p *Provider) Embed(ctx context.Context, t llm.Texts) (llm.Vectors, error) {
	return through(ctx, p.way, func() (llm.Vectors, error) { return p.Provider.Embed(ctx, t) })
}

// through asks by the way, and tells a failure of the way from one of the endpoint.
func through[T any](ctx context.Context, w *Way, ask func() (T, error)) (answer T, err error) {
	var none T
	life, up := w.state()
	select {
	case <-up:
	default:
		return none, away(nil)
	}
	if answer, err = ask(); err == nil || ctx.Err() != nil {
		return answer, err
	}
	if errors.Is(err, errAway) || broke(err) && !w.same(ctx, life) {
		return none, away(err)
	}
	return none, err
}

func away(err error) error {
	return &llm.Error{Kind: llm.Away, Detail: "the model proxy is not running", Err: err}
}

// broke says whether a failure may be that of the connection, and not what the endpoint said.
func broke(err error) bool {
	var e *llm.Error
	return !errors.As(err, &e) || e.Status == 0 && e.Kind != llm.Timeout
}

// sameTime is how long a proxy may take to say that it is there.
const sameTime = time.Second

// same says whether the proxy of a life is still the one that answers.
func (w *Way) same(ctx context.Context, life int) bool {
	ctx, cancel := context.WithTimeout(ctx, sameTime)
	defer cancel()
	res, err := w.do(ctx, http.MethodGet, "/v1/models", nil)
	if err != nil {
		return false
	}
	_ = res.Body.Close() // that it answers is enough
	now, up := w.state()
	select {
	case <-up:
		return now == life
	default:
		return false
	}
}

// Wait returns when the proxy is there, or with ctx's error.
func (p *Provider) Wait(ctx context.Context) error {
	_, up := p.way.state()
	select {
	case <-up:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errAway = errors.New("the model proxy cannot be reached")

// transport tells a proxy that is away from an endpoint that is.
type transport struct{ next http.RoundTripper }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(r)
	switch {
	case err != nil && r.Context().Err() == nil:
		return nil, errors.Join(errAway, err)
	case err == nil && res.Header.Get(proxy.NotReadyHeader) != "":
		_ = res.Body.Close() // it says that it has no registry
		return nil, errAway
	}
	return res, err
}
