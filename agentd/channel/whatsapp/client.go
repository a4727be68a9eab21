package whatsapp

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// provider is where the Cloud API is, and version the one that is spoken.
const (
	provider = "https://graph.facebook.com"
	version  = "/v23.0/"
)

// askWithin is how long Meta may take to answer a question.
var askWithin = 20 * time.Second

// client speaks to the API with one token.
type client struct {
	base, token, proof string

	phone string // the number's id
	own   bool   // the base is not Meta's
}

// open makes a client with the secrets that are kept now.
func (p *Phone) open(ctx context.Context) (*client, error) {
	password, err := p.env.Password(ctx)
	if err != nil {
		return nil, err
	}
	fields := channel.Fields(password)
	c := &client{base: provider, token: fields[accessToken].Reveal(), phone: p.set.Account}
	if p.env.BaseURL != "" {
		c.base, c.own = strings.TrimRight(p.env.BaseURL, "/"), true
	}
	secret := fields[appSecret].Reveal()
	switch {
	case c.token == "" || secret == "":
		return nil, errNoToken
	case strings.ContainsFunc(c.token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errToken
	}
	c.proof = hex.EncodeToString(signed(secret, []byte(c.token)))
	return c, nil
}

// signed is Meta's signature of something.
func signed(secret string, what []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(what) // it never fails
	return mac.Sum(nil)
}

// maxAnswer is how many bytes of an answer are read; files come by another way.
const maxAnswer = 1 << 20

// refusal is an answer of Meta that is not what was asked for.
type refusal struct {
	status int
	code   int           // Meta's own, beside the status
	sub    int           // that says more about the code; 0: nothing does
	after  time.Duration // what it asks to wait; 0: it does not say
}

func (r *refusal) Error() string {
	return "WhatsApp answered " + strconv.Itoa(r.status) + " (" + strconv.Itoa(r.code) + ")"
}

// call asks the API something about the number, or about the media of an id. A body or an answer of nil is none.
func (c *client) call(ctx context.Context, method, path string, query url.Values, body, into any) error {
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
	if query == nil {
		query = url.Values{}
	}
	query.Set("appsecret_proof", c.proof) // that who has the token has the app's secret as well
	r, err := http.NewRequestWithContext(ctx, method, c.base+version+path+"?"+query.Encode(), sent)
	if err != nil {
		return errEnded
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
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

// refusalOf reads what Meta says about why it does not do what was asked. A proxy in between says less.
func refusalOf(answer *http.Response, raw []byte) error {
	var said struct {
		Error struct {
			Code int `json:"code"`
			Sub  int `json:"error_subcode"`
		} `json:"error"`
	}
	_ = json.Unmarshal(raw, &said) // a proxy says it in other words
	no := &refusal{status: answer.StatusCode, code: said.Error.Code, sub: said.Error.Sub}
	if wait, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && wait > 0 {
		no.after = time.Duration(min(wait, 86400)) * time.Second
	}
	return no
}

// account is a number as Meta knows it.
type account struct {
	Phone string `json:"display_phone_number"`
	Name  string `json:"verified_name"`
}

// me asks what the number is called.
func (c *client) me(ctx context.Context) (a account, err error) {
	err = c.call(ctx, http.MethodGet, c.phone, url.Values{"fields": {"display_phone_number,verified_name"}}, nil, &a)
	if err == nil && a.Phone == "" {
		err = errEnded
	}
	return a, err
}
