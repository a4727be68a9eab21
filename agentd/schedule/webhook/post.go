package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gatehouse/agentd/netguard"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

const (
	// answerWithin is how long a receiver has to answer.
	answerWithin = 15 * time.Second
	// readOfAnswer is how much of an answer is read, so that its connection ends in order. Nobody sees it.
	readOfAnswer = 4 << 10
)

// Sign is the signature of a body at a time: "sha256=" and the HMAC-SHA-256, in hex, over the Unix seconds, a dot and the body.
func Sign(key secret.Value, at time.Time, body []byte) string {
	m := hmac.New(sha256.New, []byte(key.Reveal()))
	_, _ = m.Write(strconv.AppendInt(nil, at.Unix(), 10)) // never fails
	_, _ = m.Write([]byte("."))
	_, _ = m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

// post makes one request. why says in words why the receiver has not taken it; empty when it has.
func (w *Webhooks) post(ctx context.Context, d delivery, g target, key secret.Value) (is fate, why string) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	u, err := url.Parse(g.url)
	if err != nil {
		return is, "The address cannot be read."
	}
	body, err := d.body()
	if err != nil {
		return is, "The result cannot be written as JSON."
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return is, "The address cannot be read."
	}
	at := w.now()
	for name, v := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "Gatehouse", wire.HeaderWebhookKey: d.key(),
		wire.HeaderWebhookTime: strconv.FormatInt(at.Unix(), 10), wire.HeaderWebhookSignature: Sign(key, at, body),
	} {
		req.Header.Set(name, v)
	}
	res, err := w.client(u).Do(req)
	if err != nil {
		return is, noAnswer(err)
	}
	_, _ = io.CopyN(io.Discard, res.Body, readOfAnswer) // what it says beside its status is of no use to anyone
	if err := res.Body.Close(); err != nil {
		w.d.Log.DebugContext(ctx, "answer of a receiver not closed", "error", err)
	}
	is = fate{status: res.StatusCode, after: later(res.Header.Get("Retry-After"), at)}
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		return is, ""
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return is, fmt.Sprintf("The receiver answered with a redirect (HTTP %d), which is not followed.", res.StatusCode)
	}
	return is, fmt.Sprintf("The receiver answered HTTP %d.", res.StatusCode)
}

// client is for one request: no proxy, no redirect, no connection that is kept, and an address that is looked at when it is dialed.
func (w *Webhooks) client(u *url.URL) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, hostport string) (net.Conn, error) {
				return w.dial(ctx, u, network, hostport)
			},
			DisableKeepAlives: true, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 32 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// noAnswer says why there was none. What the operating system says of it may name addresses inside, so it is not told.
func noAnswer(err error) string {
	var cert *x509.CertificateInvalidError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var dns *net.DNSError
	switch {
	case errors.Is(err, netguard.ErrAddress):
		return "The address leads to this server or into a private network, so nothing was sent."
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("The receiver did not answer within %d seconds.", int(answerWithin/time.Second))
	case errors.As(err, &cert), errors.As(err, &authority), errors.As(err, &name):
		return "The certificate of the receiver is not valid, so nothing was sent."
	case errors.As(err, &dns):
		return "The name of the receiver cannot be found."
	}
	return "The receiver cannot be reached, or has hung up."
}

// later is how long a receiver asks to wait, by seconds or by date.
func later(header string, now time.Time) time.Duration {
	d := time.Duration(0)
	if n, err := strconv.Atoi(header); err == nil && n > 0 && n <= int(maxLater/time.Second) {
		d = time.Duration(n) * time.Second
	} else if err == nil && n > 0 {
		d = maxLater
	} else if at, err := http.ParseTime(header); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), maxLater)
}
