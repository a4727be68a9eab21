package discord

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// provider is where Discord's API is.
const provider = "https://discord.com"

// askWithin is how long Discord may take to answer a question.
var askWithin = 20 * time.Second

// fileWithin is the same for a message with files.
var fileWithin = 3 * time.Minute

// client speaks to the API with one token.
type client struct {
	base  string
	token string
	own   bool // the base is not Discord's
}

// open makes a client with the token that is kept now.
func (b *Bot) open(ctx context.Context) (*client, error) {
	password, err := b.env.Password(ctx)
	if err != nil {
		return nil, err
	}
	c := &client{base: provider, token: strings.TrimSpace(password.Reveal())}
	if b.env.BaseURL != "" {
		c.base, c.own = strings.TrimRight(b.env.BaseURL, "/"), true
	}
	account, _, _ := strings.Cut(c.token, ".")
	switch {
	case c.token == "":
		return nil, errNoToken
	case strings.ContainsAny(c.token, " \t\r\n"):
		return nil, errToken
	case account != b.set.Account:
		return nil, errOther
	}
	return c, nil
}

var transport = func() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	// Shorter than servers wait: a connection that just ends leaves open what came of a message.
	t.IdleConnTimeout = 20 * time.Second
	return t
}()

// dialer opens connections to the gateway. It follows no redirect.
var dialer = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}}

// errNotGiven is within the error of a request of which nothing has left.
var errNotGiven = errors.New("the provider was not reached")

// maxAnswer is how many bytes of an answer are read; files come by another way.
const maxAnswer = 8 << 20

// do sends a request. It follows no redirect: the token goes with it.
func do(r *http.Request) (*http.Response, error) {
	connected := false
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected = true },
	}))
	answer, err := transport.RoundTrip(r)
	if err != nil && !connected {
		return nil, errors.Join(errNotGiven, err)
	}
	return answer, err
}

// refusal is an answer of Discord that is not what was asked for.
type refusal struct {
	status int
	code   int           // Discord's own, beside the status
	after  time.Duration // what it asks to wait, with 429
}

func (r *refusal) Error() string {
	return "Discord answered " + strconv.Itoa(r.status) + " (" + strconv.Itoa(r.code) + ")"
}

// call asks the API something. A body or an answer of nil is none.
func (c *client) call(ctx context.Context, method, path string, body, into any) error {
	limit := askWithin
	if m, is := body.(outgoing); is && len(m.files) > 0 {
		limit = fileWithin
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	sent, kind, err := encoded(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+"/api/v10"+path, sent)
	if err != nil {
		return errEnded
	}
	r.Header.Set("Authorization", "Bot "+c.token)
	r.Header.Set("User-Agent", "DiscordBot (gatehouse, 1)") // it is asked for in this form
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := do(r)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	err = errors.Join(err, answer.Body.Close())
	switch {
	case answer.StatusCode < 200 || answer.StatusCode > 299: // what is said beside it may be cut off
		return refusalOf(answer, raw)
	case err != nil:
		return err
	case into == nil:
		return nil
	case json.Unmarshal(raw, into) != nil:
		return errEnded
	}
	return nil
}

// refusalOf reads what Discord says about why it does not do what was asked. A proxy in between says less.
func refusalOf(answer *http.Response, raw []byte) error {
	var said struct {
		Code       int     `json:"code"`
		RetryAfter float64 `json:"retry_after"`
	}
	_ = json.Unmarshal(raw, &said) // a proxy says it in other words
	no := &refusal{status: answer.StatusCode, code: said.Code}
	if no.status == http.StatusTooManyRequests {
		if said.RetryAfter == 0 {
			said.RetryAfter, _ = strconv.ParseFloat(answer.Header.Get("Retry-After"), 64) // none is a second
		}
		no.after = max(time.Duration(min(said.RetryAfter, 86400)*float64(time.Second)), time.Second)
	}
	return no
}

// user is a person or a bot.
type user struct {
	ID     string `json:"id"`
	Name   string `json:"username"`
	Global string `json:"global_name"`
	Bot    bool   `json:"bot"`
	System bool   `json:"system"`
}

// me asks who the bot is.
func (c *client) me(ctx context.Context) (user, error) {
	var u user
	err := c.call(ctx, http.MethodGet, "/users/@me", nil, &u)
	if err == nil && !isNumber(u.ID) {
		err = errEnded
	}
	return u, err
}

// gateway asks where the bot connects to. Discord counts how often a bot may begin anew.
func (c *client) gateway(ctx context.Context) (string, error) {
	var said struct {
		URL   string `json:"url"`
		Limit struct {
			Total     int `json:"total"`
			Remaining int `json:"remaining"`
		} `json:"session_start_limit"`
	}
	if err := c.call(ctx, http.MethodGet, "/gateway/bot", nil, &said); err != nil {
		return "", err
	}
	if said.Limit.Total > 0 && said.Limit.Remaining == 0 {
		return "", errTooOften
	}
	return said.URL, c.mayDial(said.URL)
}

// mayDial says whether the token may go to the address of a gateway: it is encrypted and Discord's own, or what stands in for Discord is
// set and named it.
func (c *client) mayDial(gateway string) error {
	u, err := url.Parse(gateway)
	if err != nil || u.User != nil {
		return errEnded
	}
	ip := net.ParseIP(u.Hostname())
	here := c.own && ip != nil && ip.IsLoopback()
	ours := c.own || u.Hostname() == "discord.gg" || strings.HasSuffix(u.Hostname(), ".discord.gg")
	if u.Scheme == "wss" && ours || u.Scheme == "ws" && here {
		return nil
	}
	return errEnded
}
