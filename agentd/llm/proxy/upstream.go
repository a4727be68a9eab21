package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"gatehouse/agentd/llm/jsontree"
	"gatehouse/agentd/llm/profile"
)

var errElsewhere = errors.New("the settings of the model proxy do not name this place")

// idleConns is how many connections to one endpoint wait for another request: about as many as runs ask at once.
const idleConns = 48

// client reaches the hosts of the settings and nothing else: no proxy of the environment, no redirect, no compression.
func client(o Options) *http.Client {
	hosts := o.Set.Hosts()
	d := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		if !hosts[strings.ToLower(addr)] {
			return nil, fmt.Errorf("%w: %s", errElsewhere, addr)
		}
		return d.DialContext(ctx, network, addr)
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dial, ForceAttemptHTTP2: true, DisableCompression: true, MaxIdleConnsPerHost: idleConns, IdleConnTimeout: 90 * time.Second,
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// request builds what is sent: everything in it is ours, or was read, checked and written anew. Its answer may become as long as
// output; 0: as it likes. hide says that the caller has not asked for the piece of a stream that says what was used.
func (p *Proxy) request(ctx context.Context, c *call, to profile.Candidate, as shape, output int64) (_ *http.Request, hide bool, _ error) {
	root, hide := c.told(c.limited(c.root.With("model", jsontree.Of(to.Model)), to, as, output), as)
	body := root.Append(nil)
	url := strings.TrimSuffix(to.Profile.BaseURL, "/") + c.upstream
	if c.beta && c.protocol == profile.Anthropic {
		url += "?beta=true"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	req.Header = c.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if c.stream {
		req.Header.Set("Accept", "text/event-stream")
	}
	req.Header.Set("User-Agent", "gatehouse")
	p.authorize(req, to.Profile)
	return req, hide, nil
}

func (p *Proxy) authorize(req *http.Request, to profile.Profile) {
	key := p.opt.Keys[to.Name]
	if to.Protocol == profile.Anthropic && req.Header.Get("Anthropic-Version") == "" {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	switch {
	case key == "" || to.NoKey:
	case to.Protocol == profile.Anthropic:
		req.Header.Set("X-Api-Key", key)
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
}
