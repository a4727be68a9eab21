package slack

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/coder/websocket"

	"gatehouse/agentd/channel"
)

// frame is one message of Socket Mode.
type frame struct {
	Type    string          `json:"type"`
	ID      string          `json:"envelope_id"` // Slack wants to hear that it has come
	Reason  string          `json:"reason"`      // of a goodbye
	Payload json.RawMessage `json:"payload"`
	Info    struct {
		App string `json:"app_id"`
	} `json:"connection_info"`
}

// maxFrame is how many bytes one message has at most.
const maxFrame = 4 << 20

// How often it is looked whether the connection is alive, and how long that may take.
var (
	pingEvery  = 20 * time.Second
	pingWithin = 10 * time.Second
)

// againAfter is the time between two connections.
var againAfter = time.Second

// Run implements channel.Channel. Of an app that is new here, only what comes from now on is taken.
func (a *App) Run(ctx context.Context, out chan<- channel.Inbound) error {
	api, err := a.open(ctx)
	if err != nil {
		return ended(ctx, err)
	}
	me, err := api.me(ctx)
	if err != nil {
		return ended(ctx, err)
	}
	r := &run{App: a, api: api, me: me, at: readCursor(a.env.Cursor), out: out}
	if r.at.App != api.id || r.at.Team != me.Team {
		r.at = cursor{App: api.id, Team: me.Team}
	}
	for {
		r.up = false
		err := r.connection(ctx)
		if !r.up || ctx.Err() != nil || troubleOf(ctx, err).Hard {
			return ended(ctx, err)
		}
		if channel.Rest(ctx, againAfter) != nil {
			return ctx.Err()
		}
		a.env.Log.DebugContext(ctx, "connection ended", "channel", a.Name(), "error", troubleOf(ctx, err).Text)
	}
}

func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return troubleOf(ctx, err)
}

// run is an app that takes messages.
type run struct {
	*App
	api *client
	me  identity
	at  cursor
	up  bool // the connection takes messages
	out chan<- channel.Inbound
}

// connection takes what one connection brings, until it ends. What it would have brought earlier is read once it is open, so that nothing
// falls between.
func (r *run) connection(ctx context.Context) error {
	conn, err := r.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }() // it is over anyway
	alive, end := context.WithCancelCause(ctx)
	defer end(nil)
	frames := make(chan frame, maxWaiting)
	go reads(alive, conn, frames, end)
	go pings(alive, conn, end)
	err = r.frames(alive, conn, frames)
	if cause := context.Cause(alive); cause != nil && ctx.Err() == nil {
		return cause
	}
	return err
}

// frames takes what was missed, and then what comes.
func (r *run) frames(ctx context.Context, conn *websocket.Conn, frames <-chan frame) error {
	if err := r.missed(ctx); err != nil {
		return err
	}
	if err := r.hand(ctx, r.at, channel.Inbound{}); err != nil {
		return err
	}
	r.up = true
	r.env.Up("@" + r.me.Name + ", " + r.me.TeamName)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f := <-frames:
			if err := r.took(ctx, conn, f); err != nil {
				return err
			}
		}
	}
}

// maxWaiting is how many messages of Slack wait while another one is being taken.
const maxWaiting = 1000

// reads reads what comes, also while something else is being taken: signs of life are read with it.
func reads(ctx context.Context, conn *websocket.Conn, frames chan<- frame, end context.CancelCauseFunc) {
	for {
		f, err := next(ctx, conn)
		if err != nil {
			end(err)
			return
		}
		select {
		case frames <- f:
		case <-ctx.Done():
			return
		}
	}
}

// connect opens a connection, and looks whether it is that of the app.
func (r *run) connect(ctx context.Context) (*websocket.Conn, error) {
	at, err := r.api.socket(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	conn, answer, err := websocket.Dial(ctx, at, &websocket.DialOptions{HTTPClient: dialer}) //nolint:bodyclose // the connection owns it
	if err != nil {
		if answer != nil {
			return nil, errEnded
		}
		return nil, errors.Join(errUnreachable, err)
	}
	conn.SetReadLimit(maxFrame)
	f, err := next(ctx, conn)
	switch {
	case err != nil:
	case f.Type == "disconnect":
		err = goodbye(f)
	case f.Type != "hello":
		err = errEnded
	case f.Info.App != "" && f.Info.App != r.api.id:
		err = errOther
	}
	if err != nil {
		_ = conn.CloseNow() // it is over anyway
		return nil, err
	}
	return conn, nil
}

// next reads one message. One that cannot be read is none.
func next(ctx context.Context, conn *websocket.Conn) (f frame, err error) {
	_, raw, err := conn.Read(ctx)
	if err != nil {
		return f, err
	}
	if json.Unmarshal(raw, &f) != nil {
		return frame{}, errEnded
	}
	return f, nil
}

// pings looks whether a connection is alive until ctx ends, and ends one that is not.
func pings(ctx context.Context, conn *websocket.Conn, end context.CancelCauseFunc) {
	for channel.Rest(ctx, pingEvery) == nil {
		within, cancel := context.WithTimeout(ctx, pingWithin)
		err := conn.Ping(within)
		cancel()
		if err != nil && ctx.Err() == nil {
			end(errSilent)
			return
		}
	}
}

// goodbye is why Slack ends a connection. Mostly it wants another one in its place.
func goodbye(f frame) error {
	if f.Reason == "link_disabled" {
		return errSocketOff
	}
	return errClosed
}

// took does what a message of Slack asks for. Slack hears that something has come only when it is durable here.
func (r *run) took(ctx context.Context, conn *websocket.Conn, f frame) error {
	if f.Type == "disconnect" {
		return goodbye(f)
	}
	if f.ID == "" {
		return nil
	}
	if m, at := r.read(ctx, f); m.ID != "" {
		// Whoever takes messages takes one after the other. Once the empty one is handed over, the message is kept.
		if err := errors.Join(r.hand(ctx, at, m), r.hand(ctx, at, channel.Inbound{})); err != nil {
			return err
		}
	}
	return acknowledge(ctx, conn, f.ID)
}

func acknowledge(ctx context.Context, conn *websocket.Conn, id string) error {
	raw, err := json.Marshal(map[string]string{"envelope_id": id})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, raw)
}

func (r *run) hand(ctx context.Context, at cursor, m channel.Inbound) error {
	m.Cursor = at.String()
	if err := channel.Hand(ctx, r.out, m); err != nil {
		return err
	}
	r.at = at
	return nil
}
