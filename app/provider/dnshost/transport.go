package dnshost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	callWait  = 15 * time.Second
	maxAnswer = 4 << 20
)

// transport is how both libraries reach their providers: never longer than callWait, no answer larger than maxAnswer, and refusals
// are an *Error that says what they mean, which the libraries would blur.
type transport struct {
	provider string
	next     http.RoundTripper
	meaning  func(status int, codes []int) Kind // of a refusal, by its HTTP status and its codes; empty: not known
}

// RoundTrip is http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), callWait)
	defer cancel()
	resp, err := t.next.RoundTrip(req.Clone(ctx))
	if err != nil {
		return nil, t.away(req, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, t.away(req, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, t.refused(resp.StatusCode, body)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// away is the error of a call that brought no answer. Whoever cancelled it learns that.
func (t *transport) away(req *http.Request, err error) error {
	if errors.Is(req.Context().Err(), context.Canceled) {
		return req.Context().Err()
	}
	return &Error{Kind: Away, Provider: t.provider, Detail: "no answer", Err: plain(err)}
}

// plain is an error without the address that was called.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func (t *transport) refused(status int, body []byte) error {
	said, codes := refusalOf(body)
	kind := t.meaning(status, codes)
	switch {
	case kind != "":
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		kind = Access
	case status == http.StatusTooManyRequests:
		kind = Busy
	case status >= http.StatusInternalServerError:
		kind = Away
	case status == http.StatusNotFound:
		kind = Zone
	default:
		kind = Refused
	}
	return &Error{Kind: kind, Provider: t.provider, Detail: strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, said))}
}

// maxSaid is how much of a refusal is kept, in bytes.
const maxSaid = 300

// refusalOf reads a refusal in either provider's form.
func refusalOf(body []byte) (said string, codes []int) {
	var in struct {
		Error  string `json:"error"`
		Errors []struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &in) != nil {
		return "", nil // a page for people
	}
	all := []string{in.Error}
	for _, e := range in.Errors {
		codes = append(codes, e.Code)
		all = append(all, fmt.Sprintf("%d %s", e.Code, e.Message))
	}
	said = strings.Trim(strings.Join(all, "; "), "; ")
	return strings.ToValidUTF8(said[:min(len(said), maxSaid)], ""), codes
}
