package via

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"gatehouse/agentd/llm/proxy"
	"gatehouse/agentd/llm/socket"
	"gatehouse/agentd/redact"
)

// Base is the base URL of the proxy for clients of OpenAI's protocol. The name is the socket's; nothing resolves it.
const Base = "http://localhost/v1"

// Options are what a Way stands on.
type Options struct {
	Socket string
	Token  string
	Known  func(context.Context) ([]redact.Known, error) // every secret of this server, as of now
	Log    *slog.Logger
}

// Way is the way to the proxy. It is safe for use by many goroutines.
type Way struct {
	opt    Options
	client *http.Client

	mu   sync.Mutex
	life int           // counts the proxies that took over the registry
	up   chan struct{} // closed while one has it
}

// New makes a Way; Run opens it.
func New(o Options) *Way {
	w := &Way{opt: o, up: make(chan struct{})}
	w.client = &http.Client{
		Transport:     &http.Transport{DialContext: w.dial, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return w
}

// dial reaches the socket, whatever address is asked for.
func (w *Way) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return socket.Dial(ctx, w.opt.Socket)
}

// pause is between two tries to reach a proxy that is away.
const pause = 100 * time.Millisecond

// Run hands the registry to each proxy that comes up, until ctx ends.
func (w *Way) Run(ctx context.Context) {
	said := false
	for ctx.Err() == nil {
		err := w.hold(ctx)
		if err != nil && !said && ctx.Err() == nil {
			w.opt.Log.Warn("the model proxy is away; agents wait for it", "error", err)
		}
		said = err != nil
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// hold hands over the registry and stays until the proxy ends.
func (w *Way) hold(ctx context.Context) error {
	if err := w.handOver(ctx); err != nil {
		return err
	}
	res, err := w.get(ctx, proxy.AlivePath)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // it ends when the proxy does
	w.opened()
	defer w.gone()
	w.opt.Log.InfoContext(ctx, "the model proxy is there")
	_, err = io.Copy(io.Discard, res.Body)
	if err == nil {
		err = io.EOF
	}
	return fmt.Errorf("the model proxy ended: %w", err)
}

func (w *Way) opened() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life++
	close(w.up)
}

func (w *Way) gone() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.up = make(chan struct{})
}

// state is which proxy is there, and a channel that is closed while one is.
func (w *Way) state() (life int, up <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.life, w.up
}

// Changed hands over the registry anew. When it returns without an error, no request that begins holds a new secret: the
// proxy knows it, or there is none that would send anything.
func (w *Way) Changed(ctx context.Context) error {
	_, up := w.state()
	select {
	case <-up:
		return w.handOver(ctx)
	default:
		return nil // whoever comes up asks for the registry first
	}
}

const handOverTime = 10 * time.Second

func (w *Way) handOver(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, handOverTime)
	defer cancel()
	known, err := w.opt.Known(ctx)
	if err != nil {
		return fmt.Errorf("read secrets for the model proxy: %w", err)
	}
	body, err := json.Marshal(proxy.Registry{Known: known})
	if err != nil {
		return fmt.Errorf("hand over registry: %w", err)
	}
	res, err := w.do(ctx, http.MethodPut, proxy.RegistryPath, body)
	if err != nil {
		return fmt.Errorf("hand over registry: %w", err)
	}
	return res.Body.Close()
}

func (w *Way) get(ctx context.Context, path string) (*http.Response, error) {
	return w.do(ctx, http.MethodGet, path, nil)
}

var errRefused = errors.New("the model proxy refuses agentd")

// do asks the proxy for something of agentd's own.
func (w *Way) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+w.opt.Token)
	res, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 {
		_ = res.Body.Close() // the status says it
		return nil, fmt.Errorf("%w: %s", errRefused, res.Status)
	}
	return res, nil
}
