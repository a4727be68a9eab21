package telegram

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"github.com/go-telegram/bot"
)

// provider is where the Bot API is.
const provider = "https://api.telegram.org"

// client speaks to the Bot API with one token. The library sends and reads what is sent; updates are asked for here, because the library
// confirms them before they are kept.
type client struct {
	*bot.Bot
	web   web
	base  string
	token string
}

// open makes a client with the token that is kept now.
func (b *Bot) open(ctx context.Context) (*client, error) {
	password, err := b.env.Password(ctx)
	if err != nil {
		return nil, err
	}
	c := &client{base: provider, token: strings.TrimSpace(password.Reveal())}
	if b.env.BaseURL != "" {
		c.base = strings.TrimRight(b.env.BaseURL, "/")
	}
	if c.token == "" {
		return nil, errNoToken
	}
	if strings.ContainsAny(c.token, "/?#% \r\n") { // it is part of an address
		return nil, errToken
	}
	if account, _, _ := strings.Cut(c.token, ":"); account != b.set.Account {
		return nil, errOther
	}
	nothing := func(error) {} // errors are given to who asked
	c.Bot, err = bot.New(c.token, bot.WithServerURL(c.base), bot.WithHTTPClient(time.Minute, c.web), bot.WithSkipGetMe(),
		bot.WithErrorsHandler(nothing))
	return c, err
}

// web sends requests. It follows no redirect: the address has the token in it.
type web struct{}

var transport = func() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	// Shorter than servers wait: a connection that just ends leaves open what came of a message.
	t.IdleConnTimeout = 20 * time.Second
	return t
}()

// errNotGiven is within the error of a request of which nothing has left.
var errNotGiven = errors.New("the provider was not reached")

// maxAnswer is how many bytes of an answer are read; files come by another way.
const maxAnswer = 32 << 20

// Do implements bot.HttpClient.
func (web) Do(r *http.Request) (*http.Response, error) {
	connected := false
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected = true },
	}))
	answer, err := transport.RoundTrip(r)
	if err != nil && !connected {
		return nil, errors.Join(errNotGiven, err)
	}
	if err != nil {
		return nil, err
	}
	answer.Body = limited{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	return answer, nil
}

type limited struct {
	io.Reader
	io.Closer
}
