package external

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

// What one question may cost.
const (
	askWithin  = 10 * time.Second
	maxHeaders = 32 << 10
)

// client asks one external vault.
type client struct {
	base      *url.URL
	namespace string
	http      *http.Client
}

// newClient makes a client that goes where it is told and nowhere else: no proxies, no redirects.
func newClient(c Config) (*client, error) {
	base, err := parseAddress(c.Address)
	if err != nil {
		return nil, fmt.Errorf("AGENTD_KV_ADDR %w", err)
	}
	roots, err := c.roots()
	if err != nil {
		return nil, err
	}
	return &client{base: base, namespace: c.Namespace, http: &http.Client{
		Timeout:       askWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: askWithin,
			MaxResponseHeaderBytes: maxHeaders, DisableCompression: true, MaxConnsPerHost: 1, IdleConnTimeout: 2 * time.Minute,
		},
	}}, nil
}

// ask puts one question, and reads the answer into out. path is below /v1/ and escaped. Every error is an *Error.
func (c *client) ask(ctx context.Context, method, path string, token secret.Value, in, out any) error {
	req, err := c.request(ctx, method, path, token, in)
	if err != nil {
		return &Error{Trouble: vault.TroubleAnswer} // what was asked with came from there or from a file, and cannot be sent
	}
	res, err := c.http.Do(req)
	if err != nil {
		return &Error{Trouble: broken(err)}
	}
	defer func() { _ = res.Body.Close() }() // it was read as far as it is wanted
	return read(res, out)
}

func (c *client) request(ctx context.Context, method, path string, token secret.Value, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+"/v1/"+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Vault-Request", "true") // agents before a vault ask for it, to tell us from a tricked browser
	if c.namespace != "" {
		req.Header.Set("X-Vault-Namespace", c.namespace)
	}
	if !token.Empty() {
		req.Header.Set("X-Vault-Token", token.Reveal())
	}
	return req, nil
}

// escaped is a path with each of its parts escaped.
func escaped(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
