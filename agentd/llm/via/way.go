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

	"gatehouse/agentd/llm/budget"
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
	Log    *slog.Logger
}

// Way is the way to the proxy. It is safe for use by many goroutines.
type Way struct {
	opt    Options
	client *http.Client

	mu       sync.Mutex
	known    []redact.Known
	limits   budget.Limits
	registry []byte        // both, as they are handed over; nil until Learn
	life     int           // counts the proxies that took over the registry
	up       chan struct{} // closed while one has it
	leave    func()        // gives up on the one that has it

	order sync.Mutex // held while a registry is handed over, so that an older one never comes last
}

// idleConns is how many connections to the proxy wait for another request: about as many as runs ask at once.
const idleConns = 48

// New makes a Way; Run opens it.
func New(o Options) *Way {
	w := &Way{opt: o, up: make(chan struct{})}
	w.client = &http.Client{
		Transport:     &http.Transport{DialContext: w.dial, MaxIdleConnsPerHost: idleConns, IdleConnTimeout: time.Minute, DisableCompression: true},
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := w.handOver(ctx); err != nil {
		return err
	}
	res, err := w.do(ctx, http.MethodGet, proxy.AlivePath, nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // it ends when the proxy does
	w.opened(cancel)
	defer w.gone()
	if err := w.handOver(ctx); err != nil { // what was learnt meanwhile
		return err
	}
	w.opt.Log.InfoContext(ctx, "the model proxy is there")
	_, err = io.Copy(io.Discard, res.Body)
	if err == nil {
		err = io.EOF
	}
	return fmt.Errorf("the model proxy ended: %w", err)
}

func (w *Way) opened(leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life++
	w.leave = leave
	close(w.up)
}

func (w *Way) gone() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.leave = nil
	w.up = make(chan struct{})
}

// state is which proxy is there, and a channel that is closed while one is.
func (w *Way) state() (life int, up <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.life, w.up
}

// Learn takes every secret of this server. When it returns, the proxy that is there has them all; if it could not take
// them, agents wait until one has.
func (w *Way) Learn(known []redact.Known) {
	w.tell(func() { w.known = append([]redact.Known{}, known...) })
}

// Limit takes what the team may use, in the same way. Before Learn it is kept for then.
func (w *Way) Limit(l budget.Limits) {
	w.tell(func() { w.limits = l })
}

// tell changes what the proxy has to know, and hands it over.
func (w *Way) tell(change func()) {
	w.mu.Lock()
	change()
	if w.known == nil {
		w.mu.Unlock()
		return // the vault has not been read yet
	}
	body, err := json.Marshal(proxy.Registry{Known: w.known, Limits: w.limits})
	if err != nil {
		panic("via: " + err.Error()) // strings, numbers and times always marshal
	}
	w.registry = body
	leave := w.leave
	w.mu.Unlock()
	if leave == nil {
		return // whoever comes up is told first of all
	}
	if err := w.handOver(context.Background()); err != nil {
		w.opt.Log.Error("the model proxy did not take the registry of secrets; agents wait for it", "error", err)
		leave()
	}
}

const handOverTime = 10 * time.Second

var errNoRegistry = errors.New("the vault has not been read yet")

func (w *Way) handOver(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, handOverTime)
	defer cancel()
	w.order.Lock()
	defer w.order.Unlock()
	w.mu.Lock()
	body := w.registry
	w.mu.Unlock()
	if body == nil {
		return errNoRegistry
	}
	res, err := w.do(ctx, http.MethodPut, proxy.RegistryPath, body)
	if err != nil {
		return fmt.Errorf("hand over registry: %w", err)
	}
	return res.Body.Close()
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
