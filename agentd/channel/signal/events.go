package signal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse/agentd/channel"
)

// signal-cli gives a sign of life every 15 seconds. Without any for silentAfter the connection is dead. Whether Signal still takes the
// account shows nowhere in it, so that is asked every lookEvery.
var (
	silentAfter = 45 * time.Second
	lookEvery   = 10 * time.Minute
)

// maxEvent is how many bytes one event has at most; files are not in it.
const maxEvent = 4 << 20

// cursor is how far the events of an account were taken. Older versions of signal-cli do not number them: what they have once handed out
// they do not hand out again.
type cursor struct {
	Account string `json:"account"`
	Event   string `json:"event,omitempty"`
}

func readCursor(s, account string) cursor {
	var c cursor
	if json.Unmarshal([]byte(s), &c) != nil || c.Account != account {
		return cursor{Account: account}
	}
	return c
}

func (c cursor) String() string {
	raw, err := json.Marshal(c)
	if err != nil {
		return "" // never: it is made of texts
	}
	return string(raw)
}

// stream are the events of signal-cli as they come.
type stream struct {
	body  io.ReadCloser
	lines *bufio.Reader
	alive func() // something came
}

// raw is one event: its number, if it has one, and what it says.
type raw struct {
	id   string
	data []byte
}

// listen asks for the events after a cursor.
func (c *client) listen(ctx context.Context, at cursor) (*stream, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/api/v1/events?account="+url.QueryEscape(c.account), http.NoBody)
	if err != nil {
		return nil, errEnded
	}
	r.Header.Set("Accept", "text/event-stream")
	if at.Event != "" {
		r.Header.Set("Last-Event-ID", at.Event)
	}
	answer, err := do(r)
	if err != nil {
		return nil, err
	}
	is := strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream")
	if answer.StatusCode == http.StatusOK && is {
		return &stream{body: answer.Body, lines: bufio.NewReaderSize(answer.Body, 64<<10), alive: func() {}}, nil
	}
	if err := answer.Body.Close(); err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusBadRequest { // it does not know the account
		return nil, errNoAccount
	}
	return nil, &refusal{status: answer.StatusCode}
}

// next reads the next event.
func (s *stream) next() (e raw, err error) {
	for {
		line, err := s.line()
		if err != nil {
			return raw{}, err
		}
		s.alive()
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && len(e.data) > 0:
			return e, nil
		case line == "":
			e = raw{}
		case name == "id":
			e.id = value
		case name == "data":
			if len(e.data) > 0 {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, value...)
		}
		if len(e.data) > maxEvent {
			return raw{}, errEnded
		}
	}
}

// line reads a line whole, however its parts come.
func (s *stream) line() (string, error) {
	var all []byte
	for {
		part, more, err := s.lines.ReadLine()
		if err != nil {
			return "", err
		}
		if all = append(all, part...); !more {
			return string(all), nil
		}
		if len(all) > maxEvent {
			return "", errEnded
		}
	}
}

// Run implements channel.Channel.
func (a *Account) Run(ctx context.Context, out chan<- channel.Inbound) error {
	api := a.open()
	f, err := api.known(ctx)
	if err != nil {
		return ended(ctx, err)
	}
	if err := api.works(ctx); err != nil && troubleOf(ctx, err).Hard {
		return ended(ctx, err)
	}
	r := &run{Account: a, api: api, id: f.id, at: readCursor(a.env.Cursor, a.set.Account), out: out}
	alive, end := context.WithCancelCause(ctx)
	defer end(nil)
	err = r.events(alive, end, f)
	if cause := context.Cause(alive); cause != nil && ctx.Err() == nil {
		err = cause
	}
	return ended(ctx, err)
}

func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return troubleOf(ctx, err)
}

// run is an account that takes messages.
type run struct {
	*Account
	api *client
	id  string // of the account, if it is known
	at  cursor
	out chan<- channel.Inbound
}

// events takes what comes until the connection ends.
func (r *run) events(ctx context.Context, end context.CancelCauseFunc, f found) error {
	silent := time.AfterFunc(silentAfter, func() { end(errSilent) })
	defer silent.Stop()
	s, err := r.api.listen(ctx, r.at)
	if err != nil {
		return err
	}
	defer func() { _ = s.body.Close() }() // it is over anyway
	s.alive = func() { silent.Reset(silentAfter) }
	s.alive()
	go r.look(ctx, end)
	if err := r.hand(ctx, channel.Inbound{}); err != nil {
		return err
	}
	r.env.Up("signal-cli " + f.version)
	for {
		e, err := s.next()
		if errors.Is(err, io.EOF) {
			return errClosed
		}
		if err != nil {
			return err
		}
		silent.Stop() // the time that this server takes for a message is not signal-cli's
		if err := r.took(ctx, e); err != nil {
			return err
		}
		s.alive()
	}
}

// took hands on what one event says. Each is handed on before the next is read, so the cursor never runs ahead of what is kept.
func (r *run) took(ctx context.Context, e raw) error {
	m, at, err := r.message(e.data)
	if err != nil {
		return err
	}
	if e.id != "" {
		r.at.Event = e.id
	}
	if m.ID == "" && e.id == "" {
		return nil
	}
	if err := r.hand(ctx, m); err != nil {
		return err
	}
	if m.ID != "" && m.Group == "" && m.Skip == "" {
		r.handed(m.Address, at)
	}
	return nil
}

func (r *run) hand(ctx context.Context, m channel.Inbound) error {
	m.Cursor = r.at.String()
	return channel.Hand(ctx, r.out, m)
}

// look ends the connection of an account that Signal takes no more.
func (r *run) look(ctx context.Context, end context.CancelCauseFunc) {
	for channel.Rest(ctx, lookEvery) == nil {
		if err := r.api.works(ctx); err != nil && troubleOf(ctx, err).Hard {
			end(err)
			return
		}
	}
}
