package external

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

// Hurry lets a follower wait less for an answer.
func Hurry(f *Follower, within time.Duration) { f.c.http.Timeout = within }

// answers is an external vault that says two things.
type answers struct{ metadata, data string }

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	body := a.data
	if strings.Contains(r.URL.Path, "/metadata/") {
		body = a.metadata
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// Answered reads two answers as a look does.
func Answered(ctx context.Context, metadata, data, field string) (n int, text string, t vault.Trouble) {
	c := &client{base: &url.URL{Scheme: "https", Host: "vault.test"}, http: &http.Client{Transport: answers{metadata, data}}}
	at, err := c.metadata(ctx, secret.New("t"), "secret", "a", time.Now())
	if err != nil {
		return 0, "", troubleOf(err)
	}
	held, err := c.data(ctx, secret.New("t"), "secret", "a", at)
	if err != nil {
		return 0, "", troubleOf(err)
	}
	v, err := held.text(field)
	if err != nil {
		return 0, "", troubleOf(err)
	}
	return at.version, v.Reveal(), ""
}
