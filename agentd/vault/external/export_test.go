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

// Turn is one round of Run.
func Turn(f *Follower, ctx context.Context, due bool) { f.turn(ctx, due) }

// StopAfter ends the next look as if its time had run out after so many questions.
func StopAfter(f *Follower, questions int) {
	f.within = func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		f.c.http.Transport = counted{f.c.http.Transport, &questions, cancel}
		return ctx, cancel
	}
}

// counted ends a context with the question that is one too many.
type counted struct {
	http.RoundTripper
	left *int
	end  func()
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	if *c.left--; *c.left < 0 {
		c.end()
	}
	return c.RoundTripper.RoundTrip(r)
}

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
