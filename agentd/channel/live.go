package channel

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// life is a channel that runs.
type life struct {
	ch   Channel
	stop context.CancelFunc
	done chan struct{}

	mu    sync.Mutex
	state wire.ChannelLive
	told  bool // the owner, about what only a person can help with
}

// The times between tries to connect, which double. A refused password is tried rarely: providers lock mailboxes otherwise.
const (
	firstWait = time.Second
	maxWait   = 5 * time.Minute
	hardWait  = 15 * time.Minute
)

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// channel is one that runs; nil: it does not.
func (c *Channels) channel(name string) Channel {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.lives[name]; l != nil {
		return l.ch
	}
	return nil
}

// restart has a channel begin again with what is set now.
func (c *Channels) restart(name string) {
	c.mu.Lock()
	l := c.lives[name]
	delete(c.lives, name)
	c.mu.Unlock()
	if l != nil {
		l.stop()
		<-l.done
	}
	c.Wake()
}

func (c *Channels) stopAll() {
	c.mu.Lock()
	names := make([]string, 0, len(c.lives))
	for name := range c.lives {
		names = append(names, name)
	}
	c.mu.Unlock()
	for _, name := range names {
		c.restart(name)
	}
}

// reconcile starts the channels that are to run and do not.
func (c *Channels) reconcile(ctx context.Context) error {
	all, err := c.all(ctx)
	for _, r := range all {
		if r.runs() && c.channel(r.Name) == nil && ctx.Err() == nil {
			err = errors.Join(err, c.startOne(ctx, r))
		}
	}
	return err
}

// make makes a channel of what is set.
func (c *Channels) make(ctx context.Context, r row, up func(account string)) (Channel, error) {
	kind, known := c.d.Kinds[r.Name]
	if !known {
		return nil, errNone
	}
	base := ""
	if c.d.BaseURL != nil {
		base = c.d.BaseURL(r.Name)
	}
	return kind.Make(Settings{Mail: r.Mail, Chat: r.Chat}, Env{
		Hook: c.hookURL(r.Hook), OurHook: c.ourHook,
		Cursor: r.Cursor, BaseURL: base, Up: up, Now: c.d.Now, Log: c.d.Log,
		Password: func(context.Context) (secret.Value, error) { return c.d.Keys.Key(ctx, wire.ChannelSecretName(r.Name)) },
		Heard:    func(ctx context.Context, address string) (time.Time, error) { return c.heard(ctx, r.Name, address) },
	})
}

func (c *Channels) startOne(ctx context.Context, r row) error {
	ctx, stop := context.WithCancel(ctx)
	l := &life{stop: stop, done: make(chan struct{})}
	var err error
	if l.ch, err = c.make(ctx, r, func(account string) { l.up(account, c.now()) }); err != nil {
		stop()
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lives[r.Name] != nil {
		stop()
		return nil
	}
	c.lives[r.Name] = l
	go c.live(ctx, r.Name, l)
	return nil
}

// live runs a channel until ctx ends, again and again.
func (c *Channels) live(ctx context.Context, name string, l *life) {
	defer close(l.done)
	for ctx.Err() == nil {
		err := c.once(ctx, name, l)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errOff) {
			c.forget(name, l)
			return
		}
		wait := c.failed(ctx, name, l, err)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// errOff: a channel is not to run, whoever has it running.
var errOff = errors.New("the channel is off")

func (c *Channels) forget(name string, l *life) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lives[name] == l {
		delete(c.lives, name)
	}
}

// once runs a channel until its connection ends, from where its messages were taken last.
func (c *Channels) once(ctx context.Context, name string, l *life) error {
	r, err := c.byName(ctx, name)
	if err != nil {
		return err
	}
	if !r.runs() {
		return errOff
	}
	ch, err := c.make(ctx, r, func(account string) { l.up(account, c.now()) })
	if err != nil {
		return err
	}
	c.mu.Lock()
	l.ch = ch
	c.mu.Unlock()
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	inbox := make(chan Inbound)
	ended := make(chan error, 1)
	go func() { ended <- c.runs(running, ch, inbox) }()
	for {
		select {
		case m := <-inbox:
			if err := c.take(running, name, m); err != nil {
				stop(err)
				<-ended //nolint:errcheck // it ends because of that
				return err
			}
			if m.Taken != nil {
				m.Taken()
			}
		case err := <-ended:
			return err
		}
	}
}

// runs runs a channel. What goes wrong in it ends its connection, and not this program.
func (c *Channels) runs(ctx context.Context, ch Channel, inbox chan<- Inbound) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			c.d.Log.ErrorContext(ctx, "channel panicked", "channel", ch.Name(), "panic", fmt.Sprintf("%T", fault),
				"stack", string(debug.Stack()))
			err = errEnded
		}
	}()
	return ch.Run(ctx, inbox)
}

// up notes that a channel takes messages, and as whom.
func (l *life) up(account string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Connected, l.state.Account, l.state.Since, l.state.RetryAt, l.told = true, account, now, time.Time{}, false
	l.state.Fails, l.state.Hard = 0, false
}

// errEnded stands for reasons that are no use to people.
var errEnded = &Trouble{Text: "The connection ended. It is tried again."}

// failed notes that a channel has stopped, and says how long it rests.
func (c *Channels) failed(ctx context.Context, name string, l *life, err error) time.Duration {
	known := errEnded
	if !errors.As(err, &known) {
		c.d.Log.WarnContext(ctx, "channel ended", "channel", name, "error", err)
	}
	text, hard := known.Text, known.Hard
	l.mu.Lock()
	wait := hardWait
	if !hard {
		wait = min(firstWait<<min(l.state.Fails, 10), maxWait)
	}
	l.state.Fails, l.state.Hard = l.state.Fails+1, hard
	now := c.now()
	l.state.Connected, l.state.LastError, l.state.ErrorAt, l.state.RetryAt = false, text, now, now.Add(wait)
	tell := hard && !l.told
	l.told = l.told || hard
	l.mu.Unlock()
	if tell && c.d.Alert != nil {
		c.d.Alert(ctx, "The channel "+name+" does not work: "+text)
	}
	return wait
}

func (l *life) live() wire.ChannelLive {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}
