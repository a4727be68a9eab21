package link

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"gatehouse/agentd/wire"
)

// Options are what a Client works with. Durations that are zero take their usual values.
type Options struct {
	Identity  Identity
	Keys      *Keys  // what opens the link; nil: the identity's key alone
	Hub       string // base URL of the hub; empty: where the hub said the link is
	Version   string // of agentd
	DB        Store
	Outbox    *Outbox
	Handler   Handler
	Heartbeat func(context.Context) wire.Heartbeat
	Config    func() int64                        // version of the configuration that runs
	Welcomed  func(context.Context, wire.Welcome) // told of each connection that opened; nil: nobody is
	Now       func() time.Time
	Log       *slog.Logger

	BeatEvery  time.Duration // between heartbeats; 30 s
	PingEvery  time.Duration // between pings; 15 s. Three without an answer end the connection
	RetryMin   time.Duration // limit of the first wait before connecting again; 0.5 s
	RetryMax   time.Duration // longest wait; 30 s
	MaxAsking  int           // questions worked on at once; 64
	WriteLimit time.Duration // for one message; 30 s
}

// Client keeps the link to the hub open.
type Client struct {
	o       Options
	inbox   *inbox
	current atomic.Pointer[session] // nil while not connected
}

// ErrRevoked says that the hub does not know this server any more: it must not come back by itself.
var ErrRevoked = errors.New("the hub has cut this server off")

// errReplaced says that another connection with this server's keys took over.
var errReplaced = errors.New("another connection of this server took over")

// New makes a Client; Run starts it.
func New(o Options) *Client {
	o.BeatEvery = usual(o.BeatEvery, 30*time.Second)
	o.PingEvery = usual(o.PingEvery, 15*time.Second)
	o.RetryMin = usual(o.RetryMin, 500*time.Millisecond)
	o.RetryMax = usual(o.RetryMax, 30*time.Second)
	o.WriteLimit = usual(o.WriteLimit, 30*time.Second)
	o.MaxAsking = usual(o.MaxAsking, 64)
	if o.Keys == nil {
		o.Keys = OpenKeys("", o.Identity)
	}
	return &Client{o: o, inbox: &inbox{db: o.DB, handler: o.Handler, seal: o.Identity.Seal, now: o.Now}}
}

func usual[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Connected says whether the link is open.
func (c *Client) Connected() bool { return c.current.Load() != nil }

// Send sends an ephemeral frame now, or drops it: when the link is down or its queue is full.
func (c *Client) Send(t wire.Type, body any) {
	s := c.current.Load()
	if s == nil {
		return
	}
	if err := s.offer(t, body); err != nil {
		c.o.Log.Debug("ephemeral frame dropped", "type", string(t), "error", err)
	}
}

// Run keeps the link open until ctx ends (nil) or the hub has cut the server off (ErrRevoked).
func (c *Client) Run(ctx context.Context) error {
	if err := c.inbox.tidy(ctx); err != nil && ctx.Err() == nil {
		c.o.Log.WarnContext(ctx, "old frame ids not tidied", "error", err)
	}
	wait := backoff{min: c.o.RetryMin, max: c.o.RetryMax}
	for ctx.Err() == nil {
		opened := time.Now()
		err := c.connect(ctx)
		if ctx.Err() != nil {
			return nil
		}
		c.o.Log.WarnContext(ctx, "link is down", "error", err, "lived_ms", time.Since(opened).Milliseconds())
		if errors.Is(err, ErrRevoked) {
			return err
		}
		if time.Since(opened) > c.o.RetryMin*10 {
			wait.reset() // it was a good connection, not one that the hub throws out at once
		}
		if err := c.rest(ctx, &wait, err); err != nil {
			return nil
		}
	}
	return nil
}

// rest waits before the next connection. One that was replaced waits long: two machines with the same keys must not
// push each other out in turn.
func (c *Client) rest(ctx context.Context, wait *backoff, err error) error {
	if errors.Is(err, errReplaced) {
		return pause(ctx, c.o.RetryMax)
	}
	return wait.sleep(ctx)
}
