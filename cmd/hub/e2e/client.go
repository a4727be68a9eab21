package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"
)

// Client speaks the JSON API with the token of the demo's owner.
type Client struct {
	T   *testing.T
	Hub *Hub
}

// API is a client for t, which its failures fail.
func (h *Hub) API(t *testing.T) *Client { return &Client{t, h} }

// Try makes a call that may fail, as while the hub is away. Header values follow their names.
func (c *Client) Try(ctx context.Context, method, path string, body any, header ...string) (Answer, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return Answer{}, err
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.Hub.URL("/api/v1/customer"+path), r)
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Hub.Demo.Customer.APIToken)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	a, err := Send(req)
	if err == nil {
		c.WantDescribed(req, a)
	}
	return a, err
}

// WantDescribed fails unless an answer is one that the hub describes.
func (c *Client) WantDescribed(req *http.Request, a Answer) {
	c.T.Helper()
	if err := c.Hub.spec.Answer(req.Method, req.URL.Path, a.Status, a.kind, a.Body); err != nil {
		c.T.Errorf("not as /api/openapi.json says: %v", err)
	}
}

// Do makes a call that must get an answer, whatever its status.
func (c *Client) Do(method, path string, body any, header ...string) Answer {
	c.T.Helper()
	a, err := c.Try(c.T.Context(), method, path, body, header...)
	if err != nil {
		c.T.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// Want makes a call that must have that status, and reads the answer into v. A call that only reads is made again when the
// customer's server has not answered in time, as on a busy machine.
func (c *Client) Want(status int, method, path string, body, v any, header ...string) {
	c.T.Helper()
	a := c.Do(method, path, body, header...)
	slow := func() bool { return a.Status == http.StatusServiceUnavailable && status != a.Status }
	for end := time.Now().Add(WaitLimit); method == http.MethodGet && slow() && time.Now().Before(end); {
		a = c.Do(method, path, body, header...)
	}
	if a.Status != status {
		c.T.Fatalf("%s %s: %d %s, want %d", method, path, a.Status, a.Body, status)
	}
	if v != nil {
		a.Into(c.T, v)
	}
}

// Say writes to an agent and gives the id of the run.
func (c *Client) Say(agent, text string, header ...string) string {
	c.T.Helper()
	var sent struct {
		RunID string `json:"run_id"`
	}
	c.Want(http.StatusAccepted, http.MethodPost, "/chat", map[string]string{"agent": agent, "text": text}, &sent, header...)
	return sent.RunID
}

// AwaitLink waits until the demo's server answers questions.
func (c *Client) AwaitLink() {
	c.T.Helper()
	Until(c.T, "the server answers", func() bool {
		ctx, cancel := context.WithTimeout(c.T.Context(), 20*time.Second) // the hub answers within 5 s
		defer cancel()
		a, err := c.Try(ctx, http.MethodPost, "/echo", "hello")
		return err == nil && a.Status == http.StatusOK
	})
}
