package container

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Engine is the Docker API, or what speaks it, at a unix socket.
type Engine struct{ client *http.Client }

// DefaultSocket is where Docker listens.
const DefaultSocket = "/var/run/docker.sock"

// New makes an Engine; nothing is asked yet.
func New(socket string) *Engine {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	return &Engine{client: &http.Client{Transport: &http.Transport{DialContext: dial, MaxIdleConns: 1, IdleConnTimeout: 10 * time.Second}}}
}

// Container is one container: what it is called and how it is. It holds nothing that the container says.
type Container struct {
	ID      string    `json:"id"` // as Docker shortens it
	Name    string    `json:"name"`
	Image   string    `json:"image"`
	State   string    `json:"state"` // running, exited, …
	Created time.Time `json:"created"`
}

// Errors of an Engine.
var (
	// ErrAway says that there is no engine that this process may ask.
	ErrAway = errors.New("no container engine can be asked")
	// ErrNone says that there is no such container.
	ErrNone = errors.New("no such container")
	// ErrName says that a text cannot be the name of a container.
	ErrName = errors.New("not the name of a container")
)

// name is what Docker allows as the name or id of a container.
var name = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$`)

// stopWithin is how long a container has to end by itself.
const stopWithin = 10 * time.Second

// most is how many bytes of an answer are read.
const most = 4 << 20

// List gives all containers, running or not.
func (e *Engine) List(ctx context.Context) ([]Container, error) {
	raw, err := e.ask(ctx, http.MethodGet, "/containers/json?all=1")
	if err != nil {
		return nil, err
	}
	var items []struct {
		ID      string   `json:"Id"`
		Names   []string `json:"Names"`
		Image   string   `json:"Image"`
		State   string   `json:"State"`
		Created int64    `json:"Created"`
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	all := make([]Container, len(items))
	for i, it := range items {
		c := Container{ID: it.ID[:min(len(it.ID), 12)], Image: it.Image, State: it.State, Created: time.Unix(it.Created, 0).UTC()}
		if len(it.Names) > 0 {
			c.Name = strings.TrimPrefix(it.Names[0], "/")
		}
		all[i] = c
	}
	return all, nil
}

// Start starts a container; one that runs already stays as it is.
func (e *Engine) Start(ctx context.Context, which string) error {
	return e.act(ctx, which, "start", "")
}

// Stop ends a container; one that has ended already stays as it is.
func (e *Engine) Stop(ctx context.Context, which string) error {
	return e.act(ctx, which, "stop", "?t="+strconv.Itoa(int(stopWithin.Seconds())))
}

// Restart ends a container and starts it.
func (e *Engine) Restart(ctx context.Context, which string) error {
	return e.act(ctx, which, "restart", "?t="+strconv.Itoa(int(stopWithin.Seconds())))
}

func (e *Engine) act(ctx context.Context, which, verb, query string) error {
	if !name.MatchString(which) {
		return fmt.Errorf("%s container: %w", verb, ErrName)
	}
	if _, err := e.ask(ctx, http.MethodPost, "/containers/"+url.PathEscape(which)+"/"+verb+query); err != nil {
		return fmt.Errorf("%s container %s: %w", verb, which, err)
	}
	return nil
}

// ask sends one request. The socket decides where it goes: the host in the address means nothing.
func (e *Engine) ask(ctx context.Context, method, path string) (_ []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://engine"+path, http.NoBody) // over a socket of this machine
	if err != nil {
		return nil, err
	}
	res, err := e.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, most))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the engine's answer: %w", err)
	case res.StatusCode == http.StatusBadGateway: // the filter before it says so
		return nil, ErrAway
	case res.StatusCode == http.StatusNotFound:
		return nil, ErrNone
	case res.StatusCode == http.StatusNotModified, res.StatusCode < 300:
		return raw, nil
	}
	return nil, fmt.Errorf("the engine answered %d", res.StatusCode)
}
