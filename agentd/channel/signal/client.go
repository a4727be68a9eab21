package signal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// local is where signal-cli is expected.
const local = "http://127.0.0.1:7583"

// How long signal-cli may take to answer. It asks Signal for most of it, and to send it asks for keys first.
var (
	askWithin  = 20 * time.Second
	sendWithin = 60 * time.Second
	fileWithin = 4 * time.Minute // to send a message with files
)

// client speaks to signal-cli for one account.
type client struct {
	base    string
	account string
}

func (a *Account) open() *client {
	c := &client{base: local, account: a.set.Account}
	if a.env.BaseURL != "" {
		c.base = strings.TrimRight(a.env.BaseURL, "/")
	}
	return c
}

// maxAnswer is how many bytes of an answer are read: those of a file are written with a third more.
const maxAnswer = maxFile/3*4 + 1<<20

// request is one call of JSON-RPC.
type request struct {
	Version string         `json:"jsonrpc"`
	Method  string         `json:"method"`
	Params  map[string]any `json:"params"`
	ID      string         `json:"id"`
}

// response is what came of it.
type response struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Response sent `json:"response"`
		} `json:"data"`
	} `json:"error"`
}

// sent is what signal-cli says about a message, for each of who gets it.
type sent struct {
	Timestamp int64 `json:"timestamp"`
	Results   []struct {
		Type       string `json:"type"`
		Token      string `json:"token"` // of a proof that Signal asks for
		RetryAfter int64  `json:"retryAfterSeconds"`
	} `json:"results"`
}

// refusal is an answer of signal-cli that is not what was asked for.
type refusal struct {
	status int // of HTTP, where it is no answer of JSON-RPC
	code   int
	kind   string // of a message that was not sent, of the first that has one
	proof  bool
	after  time.Duration
	gone   bool // Signal takes the account no more
}

func (r *refusal) Error() string {
	return "signal-cli answered " + strconv.Itoa(r.status) + " (" + strconv.Itoa(r.code) + " " + r.kind + ")"
}

// Codes of signal-cli, and of JSON-RPC itself.
const (
	codeUser      = -1
	codeUntrusted = -4
	codeRate      = -5
	codeNoMethod  = -32601
	codeParams    = -32602
)

// call asks signal-cli something. An answer of nil is none.
func (c *client) call(ctx context.Context, method string, params map[string]any, into any) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return c.within(ctx, method, params, into)
}

func (c *client) within(ctx context.Context, method string, params map[string]any, into any) error {
	all := map[string]any{"account": c.account}
	for name, value := range params {
		all[name] = value
	}
	raw, err := json.Marshal(request{Version: "2.0", Method: method, Params: all, ID: "1"})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/v1/rpc", bytes.NewReader(raw))
	if err != nil {
		return errEnded
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := channel.RoundTrip(r)
	if err != nil {
		return err
	}
	raw, err = io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	err = errors.Join(err, answer.Body.Close())
	var got response
	switch {
	case answer.StatusCode != http.StatusOK:
		return &refusal{status: answer.StatusCode}
	case err != nil:
		return err
	case json.Unmarshal(raw, &got) != nil, got.Error == nil && got.Result == nil:
		return errEnded
	case got.Error != nil:
		return refusalOf(got)
	case into == nil:
		return nil
	case json.Unmarshal(got.Result, into) != nil:
		return errEnded
	}
	return nil
}

// refusalOf reads why signal-cli does not do what was asked. That Signal does not take the account it says in words alone.
func refusalOf(got response) *refusal {
	no := &refusal{
		status: http.StatusOK, code: got.Error.Code,
		gone: strings.Contains(got.Error.Message, "Authorization failed") || strings.Contains(got.Error.Message, "not registered"),
	}
	for _, one := range got.Error.Data.Response.Results {
		if no.kind == "" && one.Type != "SUCCESS" {
			no.kind, no.proof = one.Type, one.Token != ""
			no.after = time.Duration(min(max(one.RetryAfter, 0), 86400)) * time.Second
		}
	}
	no.gone = no.gone && no.kind == "" && no.code != codeParams
	return no
}

// oldest is the first version of signal-cli that this package speaks to: it is the one that reads the account of an address of events.
var oldest = [3]int{0, 13, 12}

// found is the signal-cli that runs.
type found struct {
	version string
	id      string // of the account, if signal-cli says it
}

// known asks which signal-cli runs and whether it has the account. One that was started for one account alone does not say which.
func (c *client) known(ctx context.Context) (f found, err error) {
	var said struct {
		Version string `json:"version"`
	}
	if err := c.call(ctx, "version", nil, &said); err != nil {
		return f, err
	}
	var v [3]int
	if n, err := fmt.Sscanf(said.Version, "%d.%d.%d", &v[0], &v[1], &v[2]); err != nil || n != 3 {
		return f, errEnded
	}
	if v[0] == 0 && (v[1] < oldest[1] || v[1] == oldest[1] && v[2] < oldest[2]) {
		return f, errOld
	}
	f.version = fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
	var all []struct {
		Number string `json:"number"`
		ID     string `json:"aci"`
	}
	err = c.call(ctx, "listAccounts", nil, &all)
	var no *refusal
	if errors.As(err, &no) && no.code == codeNoMethod {
		return f, nil
	}
	for _, one := range all {
		if one.Number == c.account || one.ID == c.account {
			f.id = one.ID
			return f, err
		}
	}
	if err == nil {
		err = errNoAccount
	}
	return f, err
}

// works asks Signal whether it still takes the account. What else goes wrong with that is signal-cli's to try again.
func (c *client) works(ctx context.Context) error {
	err := c.call(ctx, "listDevices", nil, nil)
	var no *refusal
	if errors.As(err, &no) && !no.gone && no.code != codeParams {
		if no.code == codeNoMethod || no.code == codeUser {
			return nil
		}
		return errNoSignal
	}
	return err
}
