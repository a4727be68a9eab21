package discord

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"gatehouse/agentd/channel"
)

// What the gateway and its clients say to each other.
const (
	opEvent     = 0
	opBeat      = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opBeaten    = 11
)

// intents are what the bot is told: messages in groups and in private. What is written in groups Discord then shows only where the bot is
// named.
const intents = 1<<9 | 1<<12

// frame is one message of the gateway.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s"`
	Type string          `json:"t"`
}

// says is one message to the gateway.
type says struct {
	Op   int `json:"op"`
	Data any `json:"d"`
}

// maxFrame is how many bytes one message of the gateway has at most.
const maxFrame = 16 << 20

// socket is one connection to the gateway.
type socket struct {
	*websocket.Conn
	every  time.Duration // between signs of life
	seq    atomic.Int64  // of the last event that came
	beaten atomic.Bool   // the last sign of life was answered
}

// dial connects, and reads how often the gateway wants a sign of life.
func (c *client) dial(ctx context.Context, gateway string) (*socket, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	if err := c.mayDial(gateway); err != nil {
		return nil, err
	}
	at := strings.TrimRight(gateway, "/") + "/?v=10&encoding=json"
	conn, answer, err := websocket.Dial(ctx, at, &websocket.DialOptions{HTTPClient: dialer}) //nolint:bodyclose // the connection owns it
	if err != nil {
		if answer != nil {
			return nil, errEnded
		}
		return nil, errors.Join(errUnreachable, err)
	}
	conn.SetReadLimit(maxFrame)
	s := &socket{Conn: conn}
	s.beaten.Store(true)
	var hello struct {
		Every int64 `json:"heartbeat_interval"`
	}
	f, err := s.next(ctx)
	if err == nil && (f.Op != opHello || json.Unmarshal(f.Data, &hello) != nil || hello.Every <= 0) {
		err = errEnded
	}
	if err != nil {
		return nil, errors.Join(err, ignored(conn.CloseNow()))
	}
	s.every = time.Duration(hello.Every) * time.Millisecond
	return s, nil
}

// ignored is for connections that are over anyway.
func ignored(error) error { return nil }

// next reads one message. One that cannot be read is none.
func (s *socket) next(ctx context.Context) (f frame, err error) {
	_, raw, err := s.Read(ctx)
	if err != nil {
		return f, err
	}
	if json.Unmarshal(raw, &f) != nil {
		return frame{}, errEnded
	}
	if f.Seq > 0 {
		s.seq.Store(f.Seq)
	}
	return f, nil
}

func (s *socket) say(ctx context.Context, op int, data any) error {
	raw, err := json.Marshal(says{op, data})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return s.Write(ctx, websocket.MessageText, raw)
}

// beat gives a sign of life.
func (s *socket) beat(ctx context.Context) error {
	if seq := s.seq.Load(); seq > 0 {
		return s.say(ctx, opBeat, seq)
	}
	return s.say(ctx, opBeat, nil)
}

// beats gives signs of life until ctx ends. One that is not answered until the next is due ends the connection.
func (s *socket) beats(ctx context.Context, end context.CancelCauseFunc) {
	wait := time.Duration(rand.Float64() * float64(s.every)) //nolint:gosec // it spreads load, and hides nothing
	for {
		if channel.Rest(ctx, wait) != nil {
			return
		}
		wait = s.every
		if !s.beaten.Swap(false) {
			end(errSilent)
			return
		}
		if err := s.beat(ctx); err != nil {
			end(errClosed)
			return
		}
	}
}

// Run implements channel.Channel. Of a bot that is new here, only what comes from now on is taken.
func (b *Bot) Run(ctx context.Context, out chan<- channel.Inbound) error {
	api, err := b.open(ctx)
	if err != nil {
		return ended(ctx, err)
	}
	me, err := api.me(ctx)
	if err != nil {
		return ended(ctx, err)
	}
	r := &run{Bot: b, api: api, me: me, at: readCursor(b.env.Cursor), out: out}
	if r.at.Bot != me.ID {
		r.at, r.fresh = cursor{Bot: me.ID}, true
	}
	for again := true; ; {
		r.up = false
		err := r.connection(ctx)
		again = r.up || again && errors.Is(err, errAnew)
		if !again || ctx.Err() != nil || troubleOf(ctx, err).Hard {
			return ended(ctx, err)
		}
		if again = r.up; channel.Rest(ctx, againAfter) != nil {
			return ctx.Err()
		}
		b.env.Log.DebugContext(ctx, "connection ended", "channel", b.Name(), "error", troubleOf(ctx, err).Text)
	}
}

func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return troubleOf(ctx, err)
}

// run is a bot that takes messages.
type run struct {
	*Bot
	api   *client
	me    user
	at    cursor
	fresh bool // the bot is new here: nothing is read that was before
	up    bool // the connection takes messages
	idle  int  // events since the cursor was kept last
	out   chan<- channel.Inbound
}

// errAnew is how a connection ends whose session Discord has forgotten.
var errAnew = errors.New("the session is over")

// connection takes what one connection brings, until it ends.
func (r *run) connection(ctx context.Context) error {
	s, err := r.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = s.CloseNow() }() // without a word: a session that is said goodbye to cannot go on
	alive, end := context.WithCancelCause(ctx)
	defer end(nil)
	s.seq.Store(r.at.Seq)
	if err := r.signIn(alive, s); err != nil {
		return err
	}
	go s.beats(alive, end)
	for {
		f, err := s.next(alive)
		if err == nil {
			err = r.took(alive, s, f)
		}
		if err == nil {
			continue
		}
		if cause := context.Cause(alive); cause != nil && ctx.Err() == nil {
			return cause
		}
		switch websocket.CloseStatus(err) {
		case closeSequence, closeTimedOut:
			r.at = r.at.ends()
			return errAnew
		}
		return err
	}
}

// connect connects where a session goes on, or where Discord says now.
func (r *run) connect(ctx context.Context) (*socket, error) {
	if r.at.Session != "" && r.at.URL != "" {
		if s, err := r.api.dial(ctx, r.at.URL); err == nil || ctx.Err() != nil {
			return s, err
		}
	}
	at, err := r.api.gateway(ctx)
	if err != nil {
		return nil, err
	}
	return r.api.dial(ctx, at)
}

// signIn begins a session, or goes on with the one that was.
func (r *run) signIn(ctx context.Context, s *socket) error {
	if r.at.Session != "" {
		return s.say(ctx, opResume, map[string]any{"token": r.api.token, "session_id": r.at.Session, "seq": r.at.Seq})
	}
	return s.say(ctx, opIdentify, map[string]any{
		"token": r.api.token, "intents": intents,
		"properties": map[string]string{"os": "linux", "browser": "gatehouse", "device": "gatehouse"},
	})
}

// took does what a message of the gateway asks for.
func (r *run) took(ctx context.Context, s *socket, f frame) error {
	switch f.Op {
	case opBeat:
		return s.beat(ctx)
	case opBeaten:
		s.beaten.Store(true)
	case opReconnect:
		return errClosed
	case opInvalid:
		if string(f.Data) != "true" {
			r.at = r.at.ends()
		}
		return r.invalid(ctx)
	case opEvent:
		return r.event(ctx, f)
	}
	return nil
}

// anewAfter is how long Discord wants a bot to wait before it begins anew, at most.
var anewAfter = 5 * time.Second

func (r *run) invalid(ctx context.Context) error {
	wait := anewAfter/5 + time.Duration(rand.Float64()*float64(anewAfter*4/5)) //nolint:gosec // it spreads load, and hides nothing
	if err := channel.Rest(ctx, wait); err != nil {
		return err
	}
	return errAnew
}

// maxIdle is how many events that are nothing to answer may pass before the cursor is kept.
const maxIdle = 100

// event takes one event. Each is handed on before the next is read, so the cursor never runs ahead of what is kept.
func (r *run) event(ctx context.Context, f frame) error {
	at := r.at
	at.Seq = max(at.Seq, f.Seq)
	switch f.Type {
	case "READY":
		return r.ready(ctx, at, f)
	case "RESUMED":
		r.at = at
		r.isUp()
		return nil
	}
	m, chat := r.read(f)
	if m.ID == "" {
		r.at = at
		if r.idle++; r.idle < maxIdle {
			return nil
		}
	}
	if chat != "" {
		_, id, _ := strings.Cut(m.Reply.ID, "/")
		at = at.took(chat, id)
	}
	err := r.hand(ctx, at, m)
	r.up = r.up || err == nil // also what is replayed shows that the connection works
	return err
}

func (r *run) hand(ctx context.Context, at cursor, m channel.Inbound) error {
	m.Cursor = at.String()
	if err := channel.Hand(ctx, r.out, m); err != nil {
		return err
	}
	r.at, r.idle = at, 0
	return nil
}

func (r *run) isUp() {
	r.up = true
	r.env.Up("@" + r.me.Name)
}

// ready begins with a new session. What was written in private between the last one and this is read first.
func (r *run) ready(ctx context.Context, at cursor, f frame) error {
	var said struct {
		Session string `json:"session_id"`
		URL     string `json:"resume_gateway_url"`
	}
	if json.Unmarshal(f.Data, &said) != nil || said.Session == "" {
		return errEnded
	}
	if !r.fresh {
		if err := r.missed(ctx); err != nil {
			return err
		}
	}
	at.Chats = r.at.Chats
	at.Session, at.URL, at.Seq = said.Session, said.URL, f.Seq
	r.fresh = false
	if err := r.hand(ctx, at, channel.Inbound{}); err != nil {
		return err
	}
	r.isUp()
	return nil
}
