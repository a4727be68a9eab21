package slack

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

	"gatehouse/agentd/channel"
)

// provider is where Slack's API is.
const provider = "https://slack.com"

// askWithin is how long Slack may take to answer a question.
var askWithin = 20 * time.Second

// client speaks to the API with the two tokens of an app.
type client struct {
	base string
	bot  string // of what the app does
	app  string // opens connections, and names the app
	id   string // of the app, as it was signed for
	own  bool   // the base is not Slack's
}

// The names of the two tokens.
const (
	botToken = "bot_token"
	appToken = "app_token"
)

// open makes a client with the tokens that are kept now.
func (a *App) open(ctx context.Context) (*client, error) {
	kept, err := a.env.Password(ctx)
	if err != nil {
		return nil, err
	}
	all := channel.Fields(kept)
	c := &client{base: provider, bot: all[botToken].Reveal(), app: all[appToken].Reveal(), id: a.set.Account}
	if a.env.BaseURL != "" {
		c.base, c.own = strings.TrimRight(a.env.BaseURL, "/"), true
	}
	parts := strings.Split(c.app, "-")
	switch {
	case c.bot == "" || c.app == "":
		return nil, errNoToken
	case !strings.HasPrefix(c.bot, "xoxb-"), parts[0] != "xapp", len(parts) < 4, strings.ContainsAny(c.bot+c.app, " \t\r\n"):
		return nil, errToken
	case parts[2] != c.id:
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

// dialer opens connections of Socket Mode. It follows no redirect.
var dialer = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}}

// errNotGiven is within the error of a request of which nothing has left.
var errNotGiven = errors.New("the provider was not reached")

// maxAnswer is how many bytes of an answer are read; files come by another way.
const maxAnswer = 8 << 20

// do sends a request. It follows no redirect: a token goes with it.
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

// refusal is an answer of Slack that is not what was asked for.
type refusal struct {
	status int
	code   string        // Slack's own word
	after  time.Duration // what it asks to wait, with 429
}

func (r *refusal) Error() string {
	return "Slack answered " + strconv.Itoa(r.status) + " (" + r.code + ")"
}

// call asks the API something as the bot. An answer of nil is none.
func (c *client) call(ctx context.Context, method string, form url.Values, into any) error {
	return c.as(ctx, c.bot, method, form, into)
}

func (c *client) as(ctx context.Context, token, method string, form url.Values, into any) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/"+method, strings.NewReader(form.Encode()))
	if err != nil {
		return errEnded
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := do(r)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	err = errors.Join(err, answer.Body.Close())
	var said struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	unreadable := json.Unmarshal(raw, &said) != nil // what stands beside another status may be cut off
	switch {
	case answer.StatusCode != http.StatusOK, !unreadable && !said.OK && said.Error != "":
		return refusalOf(answer, said.Error)
	case err != nil:
		return err
	case unreadable, !said.OK:
		return errEnded
	case into == nil:
		return nil
	case json.Unmarshal(raw, into) != nil:
		return errEnded
	}
	return nil
}

// codeBusy is Slack's word for too many questions, whatever status stands beside it.
const codeBusy = "ratelimited"

func refusalOf(answer *http.Response, code string) error {
	no := &refusal{status: answer.StatusCode, code: code}
	if no.status == http.StatusTooManyRequests || code == "rate_limited" {
		no.code = codeBusy
	}
	if no.code == codeBusy {
		after, _ := strconv.Atoi(answer.Header.Get("Retry-After")) // none is a second
		no.after = time.Duration(min(max(after, 1), 86400)) * time.Second
	}
	return no
}

// identity is who the app is in its workspace.
type identity struct {
	Team     string `json:"team_id"`
	TeamName string `json:"team"`
	User     string `json:"user_id"` // as whom it writes
	Name     string `json:"user"`
	Bot      string `json:"bot_id"`
}

// me asks who the app is. The token of another app's bot is not used: the app is what was signed for.
func (c *client) me(ctx context.Context) (identity, error) {
	var i identity
	if err := c.call(ctx, "auth.test", nil, &i); err != nil {
		return i, err
	}
	if !userID.MatchString(i.User) || i.Team == "" || i.Bot == "" {
		return i, errToken
	}
	var got struct {
		Bot struct {
			App string `json:"app_id"`
		} `json:"bot"`
	}
	err := c.call(ctx, "bots.info", url.Values{"bot": {i.Bot}}, &got)
	if err == nil && got.Bot.App != c.id {
		err = errOther
	}
	return i, err
}

// socket asks where the app connects to.
func (c *client) socket(ctx context.Context) (string, error) {
	var said struct {
		URL string `json:"url"`
	}
	if err := c.as(ctx, c.app, "apps.connections.open", nil, &said); err != nil {
		return "", err
	}
	return said.URL, c.mayDial(said.URL)
}

// mayDial says whether the app may connect to an address: it is encrypted and Slack's own, or what stands in for Slack is set and named it.
func (c *client) mayDial(at string) error {
	u, err := url.Parse(at)
	if err != nil || u.User != nil {
		return errEnded
	}
	ip := net.ParseIP(u.Hostname())
	here := c.own && ip != nil && ip.IsLoopback()
	ours := c.own || strings.HasSuffix(u.Hostname(), ".slack.com")
	if u.Scheme == "wss" && ours || u.Scheme == "ws" && here {
		return nil
	}
	return errEnded
}
