package external

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

// What one question may cost.
const (
	askWithin  = 10 * time.Second
	maxAnswer  = 1 << 20
	maxHeaders = 32 << 10
)

// Error is why a question to the external vault has no answer. Its text is made of our words alone.
type Error struct {
	Trouble vault.Trouble
	Status  int // of HTTP; 0: there was no answer
}

func (e *Error) Error() string {
	if e.Status != 0 && e.Status != http.StatusOK {
		return fmt.Sprintf("%s (status %d)", e.Trouble.Text(), e.Status)
	}
	return e.Trouble.Text()
}

// troubleOf is what is wrong; empty for no error.
func troubleOf(err error) vault.Trouble {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Trouble
	}
	return vault.TroubleAway
}

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
	if trouble := refused(res.StatusCode); trouble != "" {
		return &Error{Trouble: trouble, Status: res.StatusCode}
	}
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

// refused is what a status says; empty for an answer. The texts of errors are not read.
func refused(status int) vault.Trouble {
	switch {
	case status == http.StatusOK:
		return ""
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		return vault.TroubleDenied
	case status == http.StatusNotFound:
		return vault.TroubleMissing
	case status == http.StatusTooManyRequests:
		return vault.TroubleBusy
	case status >= 300 && status < 400:
		return vault.TroubleRedirect
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return vault.TroubleAway // that of whatever stands before it
	case status == http.StatusServiceUnavailable, status == http.StatusPreconditionFailed, status == 472, status == 473:
		return vault.TroubleSealed // sealed, not set up, a standby that does not answer or is behind
	}
	return vault.TroubleAnswer
}

// broken is why there was no answer.
func broken(err error) vault.Trouble {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	for _, target := range []any{&unknown, &host, &invalid, &verify, &record, &alert} {
		if errors.As(err, target) {
			return vault.TroubleTLS
		}
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return vault.TroubleTLS
	}
	return vault.TroubleAway
}

// read reads one JSON value of a decent size, and nothing behind it.
func read(res *http.Response, out any) error {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return &Error{Trouble: vault.TroubleAway, Status: res.StatusCode}
	}
	if len(body) > maxAnswer || !utf8.Valid(body) || json.Unmarshal(body, out) != nil {
		return &Error{Trouble: vault.TroubleAnswer, Status: res.StatusCode}
	}
	return nil
}

// escaped is a path with each of its parts escaped.
func escaped(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
