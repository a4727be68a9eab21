package googlechat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"gatehouse/agentd/channel"
)

// Where Google's API is, and where a key is changed for a token.
const (
	provider  = "https://chat.googleapis.com"
	tokens    = "https://oauth2.googleapis.com"
	tokenPath = "/token"
	scope     = "https://www.googleapis.com/auth/chat.bot"
)

// askWithin is how long Google may take to answer a question.
var askWithin = 20 * time.Second

// client speaks to the API with one key.
type client struct {
	base string
	key  string // of the service account, as it is kept
	from oauth2.TokenSource
}

// carrier sends as all channels do.
type carrier struct{}

// RoundTrip implements http.RoundTripper.
func (carrier) RoundTrip(r *http.Request) (*http.Response, error) { return channel.RoundTrip(r) }

// open makes a client with the key that is kept now. Its token is used until it is over.
func (a *App) open(ctx context.Context) (*client, error) {
	password, err := a.env.Password(ctx)
	if err != nil {
		return nil, err
	}
	kept := password.Reveal()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now != nil && a.now.key == kept {
		return a.now, nil
	}
	var key struct {
		Email string `json:"client_email"`
		ID    string `json:"private_key_id"`
		Key   string `json:"private_key"`
	}
	switch {
	case kept == "":
		return nil, errNoKey
	case json.Unmarshal([]byte(kept), &key) != nil || key.Key == "":
		return nil, errKey
	case key.Email != a.set.Account:
		return nil, errOther
	}
	cfg := &jwt.Config{
		Email: key.Email, PrivateKey: []byte(key.Key), PrivateKeyID: key.ID, Scopes: []string{scope}, TokenURL: a.base(tokens) + tokenPath,
	}
	via := &http.Client{Transport: carrier{}, Timeout: askWithin, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	a.now = &client{
		base: a.base(provider), key: kept,
		from: cfg.TokenSource(context.WithValue(context.Background(), oauth2.HTTPClient, via)), // which outlives any one question
	}
	return a.now, nil
}

// forget has the next question ask for another token: this one is not taken.
func (a *App) forget(api *client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now == api {
		a.now = nil
	}
}

// maxAnswer is how many bytes of an answer are read; files come by another way.
const maxAnswer = 1 << 20

// refusal is an answer of Google that is not what was asked for.
type refusal struct {
	status int
	after  time.Duration // what it asks to wait, with 429
}

func (r *refusal) Error() string { return "Google Chat answered " + strconv.Itoa(r.status) }

// authorized makes a request with a token. A token that is not given is told as what it is.
func (c *client) authorized(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	token, err := c.from.Token()
	var no *oauth2.RetrieveError
	switch {
	case errors.As(err, &no) && no.Response != nil && no.Response.StatusCode < 500 && no.Response.StatusCode != http.StatusTooManyRequests:
		return nil, errKey
	case errors.As(err, &no) && no.Response != nil:
		return nil, &notBegun{refusalOf(no.Response)}
	case err != nil && strings.Contains(err.Error(), "private key"): // which is no key at all
		return nil, errKey
	case err != nil: // the library keeps the words of an error alone
		return nil, &notBegun{errUnreachable}
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, errEnded
	}
	r.Header.Set("Authorization", "Bearer "+token.AccessToken)
	return r, nil
}

// notBegun is an error before anything was asked for, so that nothing came of it.
type notBegun struct{ error }

// Unwrap gives the error.
func (n *notBegun) Unwrap() error { return n.error }

// call asks the API something with the key that is kept now. A token that is over before its time is changed for another one.
func (a *App) call(ctx context.Context, method, path string, body, into any) error {
	api, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err = api.call(ctx, method, path, body, into); !isStale(err) {
		return err
	}
	a.forget(api)
	if api, err = a.open(ctx); err != nil {
		return err
	}
	return api.call(ctx, method, path, body, into)
}

// isStale says whether Google does not take the token.
func isStale(err error) bool {
	var no *refusal
	return errors.As(err, &no) && no.status == http.StatusUnauthorized
}

// call asks the API something. A body or an answer of nil is none.
func (c *client) call(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	var sent io.Reader = http.NoBody
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(raw)
	}
	r, err := c.authorized(ctx, method, path, sent)
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := channel.RoundTrip(r)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	err = errors.Join(err, answer.Body.Close())
	switch {
	case answer.StatusCode < 200 || answer.StatusCode > 299: // what is said beside it may be cut off
		return refusalOf(answer)
	case err != nil:
		return err
	case into != nil && json.Unmarshal(raw, into) != nil, into == nil && !json.Valid(raw):
		return errEnded
	}
	return nil
}

// waitAll is how long is waited where Google does not say.
const waitAll = 30 * time.Second

func refusalOf(answer *http.Response) error {
	no := &refusal{status: answer.StatusCode}
	if no.status == http.StatusTooManyRequests {
		no.after = waitAll
		if wait, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && wait > 0 {
			no.after = time.Duration(min(wait, 86400)) * time.Second
		}
	}
	return no
}

// chatWith is the space of an address: of a person, that of the direct messages with them.
func (a *App) chatWith(ctx context.Context, to string) (string, error) {
	if space, group := strings.CutPrefix(to, hash); group {
		return "spaces/" + space, nil
	}
	a.mu.Lock()
	known := a.chats[to]
	a.mu.Unlock()
	if known != "" {
		return known, nil
	}
	var space struct {
		Name string `json:"name"`
	}
	err := a.call(ctx, http.MethodGet, "/v1/spaces:findDirectMessage?name="+url.QueryEscape("users/"+to), nil, &space)
	if err == nil && spaceOf(space.Name) == "" {
		err = errEnded
	}
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.chats) >= maxChats {
		a.chats = map[string]string{}
	}
	a.chats[to] = space.Name
	return space.Name, nil
}

// maxChats is of how many people the space is known.
const maxChats = 500

// spaceOf is the id of a space in its name; empty: it is no such name.
func spaceOf(name string) string {
	id, is := strings.CutPrefix(name, "spaces/")
	if !is || !ids.MatchString(id) {
		return ""
	}
	return id
}
