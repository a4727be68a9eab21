package httprequest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"gatehouse/agentd/tools/registry"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Rotator changes the secrets with which registered tools are signed in to, as the registry says. It is a
// vault.Applier. It goes only where requests go, and only by way of the vault.
type Rotator struct{ tool *Tool }

// NewRotator makes one for a registry.
func NewRotator(tools *registry.Registry) *Rotator { return &Rotator{New(tools)} }

// find gives the tool that a secret signs in to, if the registry says how it is changed.
func (r *Rotator) find(name string) (registry.Tool, bool) {
	all, err := r.tool.tools.All()
	if err != nil {
		return registry.Tool{}, false
	}
	for _, t := range all {
		if t.Auth.Ref == name && t.Rotate != nil {
			return t, true
		}
	}
	return registry.Tool{}, false
}

// Applies says whether the registry knows how to change this secret.
func (r *Rotator) Applies(name string) bool {
	_, ok := r.find(name)
	return ok
}

// Bound says whether one of these places is where the requests of a change go.
func (r *Rotator) Bound(name string, to []wire.SecretBinding) bool {
	t, ok := r.find(name)
	return ok && slices.ContainsFunc(to, func(b wire.SecretBinding) bool {
		return b.Tool == "http_request" && registry.Origin{Scheme: b.Scheme, Host: b.Host, Port: b.Port} == t.Home()
	})
}

// Apply signs in with old and makes next the value there. An answer of 4xx is the service's no; without any, or with one
// of a proxy between, nobody knows.
func (r *Rotator) Apply(ctx context.Context, name string, old, next secret.Value) error {
	t, ok := r.find(name)
	if !ok {
		return fmt.Errorf("the registry no longer says how %s is changed", name)
	}
	body := strings.NewReplacer("{{old}}", quoted(old), "{{new}}", quoted(next)).Replace(t.Rotate.Body)
	status, err := r.send(ctx, t, t.Rotate.Method, t.Rotate.Path, body, old)
	switch {
	case err != nil:
		return err
	case status/100 == 4 && status != http.StatusRequestTimeout:
		return fmt.Errorf("%w: %s answered %d", vault.ErrRefused, t.Name, status)
	case status/100 != 2:
		return fmt.Errorf("%s answered %d", t.Name, status)
	}
	return nil
}

// quoted is a value as it stands within a JSON string.
func quoted(v secret.Value) string {
	b, _ := json.Marshal(v.Reveal()) // a string always marshals
	return string(b[1 : len(b)-1])
}

// Works says whether one can sign in with this value.
func (r *Rotator) Works(ctx context.Context, name string, v secret.Value) (bool, error) {
	t, ok := r.find(name)
	if !ok {
		return false, fmt.Errorf("the registry no longer says how %s is tried", name)
	}
	status, err := r.send(ctx, t, http.MethodGet, t.Rotate.Check, "", v)
	switch {
	case err != nil:
		return false, err
	case status/100 == 2:
		return true, nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return false, nil
	}
	return false, fmt.Errorf("%s answered %d", t.Name, status)
}

// send makes one request with one value and gives its status.
func (r *Rotator) send(ctx context.Context, t registry.Tool, method, path, body string, v secret.Value) (int, error) {
	to := t.Home()
	req, err := http.NewRequestWithContext(ctx, method, to.String()+path, strings.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("build request: %w", err)
	}
	text := v.Reveal()
	if t.Auth.Type == "basic" {
		text = base64.StdEncoding.EncodeToString([]byte(t.Auth.User + ":" + text))
	}
	req.Header.Set(t.Auth.Header, t.Auth.Prefix+text)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	call := &request{tool: t, to: to, url: req.URL}
	resp, err := r.tool.client(call).Do(req)
	if err != nil {
		return 0, failed(err, call)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)); err != nil {
		return 0, failed(err, call)
	}
	return resp.StatusCode, nil
}
