package channel

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/wire"
)

// Hooked is a channel whose provider brings its messages.
type Hooked interface {
	Channel
	// Deliver takes what came to the channel's address, which anybody may have sent, and gives the answer to the sender. What is proven to
	// be the provider's is taken when it is durable, and before the answer says so.
	Deliver(ctx context.Context, d wire.ChannelDelivery) wire.ChannelAnswer
}

// newHook is the last part of an address that nobody can guess.
func newHook() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // crypto/rand.Read never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// hookURL is the address of a channel's hook at the hub; empty: it has none, or this server is not registered.
func (c *Channels) hookURL(hook string) string {
	if hook == "" || c.d.Page == nil {
		return ""
	}
	return c.d.Page(wire.HooksPath + hook)
}

// ourHook says whether an address is one at the hub to which messages of channels are brought.
func (c *Channels) ourHook(address string) bool {
	if c.d.Page == nil {
		return false
	}
	at := c.d.Page(wire.HooksPath)
	hook, is := strings.CutPrefix(address, at)
	return is && at != "" && wire.ChannelHooked(hook)
}

// deliverWithin is how long a delivery may take: the hub waits little longer, and then says that the server is away.
const deliverWithin = 9 * time.Second

// awaySeconds is after how long a provider may come again.
const awaySeconds = 60

// deliver takes what a messenger has brought to the address of a channel.
func (c *Channels) deliver(ctx context.Context, d wire.ChannelDelivery) (wire.ChannelAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, deliverWithin)
	defer cancel()
	if !wire.ChannelHooked(d.Hook) {
		return NoSuchHook(), nil
	}
	r, err := scan(c.d.DB.Read().QueryRowContext(ctx, "SELECT "+columns+" FROM channels WHERE hook = ?", d.Hook))
	if errors.Is(err, errNone) {
		return NoSuchHook(), nil
	}
	if err != nil {
		return wire.ChannelAnswer{}, err
	}
	to, is := c.channel(r.Name).(Hooked)
	if !is { // it is paused, or not up yet
		return NotNow(), nil
	}
	return c.bring(ctx, to, d), nil
}

// bring gives a channel what was brought. What goes wrong in reading it, which anybody can send, ends nothing else.
func (c *Channels) bring(ctx context.Context, to Hooked, d wire.ChannelDelivery) (a wire.ChannelAnswer) {
	defer func() {
		if fault := recover(); fault != nil {
			c.d.Log.ErrorContext(ctx, "delivery not read", "channel", to.Name(), "panic", fmt.Sprintf("%T", fault),
				"stack", string(debug.Stack()))
			a = wire.ChannelAnswer{Status: http.StatusBadRequest, Type: wire.ChannelText, Body: []byte("It cannot be read.\n")}
		}
	}()
	return to.Deliver(ctx, d)
}

// NoSuchHook answers what comes to an address that leads nowhere.
func NoSuchHook() wire.ChannelAnswer {
	return wire.ChannelAnswer{Status: http.StatusNotFound, Type: wire.ChannelText, Body: []byte("There is no such address.\n")}
}

// NotNow asks a provider to bring it again.
func NotNow() wire.ChannelAnswer {
	return wire.ChannelAnswer{
		Status: http.StatusServiceUnavailable, Type: wire.ChannelText, Body: []byte("Nothing was taken; send it again later.\n"),
		RetryAfter: awaySeconds,
	}
}

// Door is where what a provider brings waits until it is taken.
type Door struct {
	came chan Inbound
	over chan struct{} // closed: nothing is taken here anymore
	fail chan error
}

// NewDoor makes the door of one channel.
func NewDoor() *Door {
	return &Door{came: make(chan Inbound), over: make(chan struct{}), fail: make(chan error, 1)}
}

// Run hands on what is brought until ctx ends or Fail is called. It runs once.
func (d *Door) Run(ctx context.Context, inbox chan<- Inbound) error {
	defer close(d.over)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-d.fail:
			return err
		case m := <-d.came:
			if err := Hand(ctx, inbox, m); err != nil {
				return err
			}
		}
	}
}

// Fail ends Run: the provider has said by another way that the channel does not work.
func (d *Door) Fail(err error) {
	select {
	case d.fail <- err:
	default: // it ends already
	}
}

// errNotTaken says that a message has to be brought again.
var errNotTaken = errors.New("the message was not taken")

// Take hands on a message and returns when it is durable. After an error it has to be brought again.
func (d *Door) Take(ctx context.Context, m Inbound) error {
	taken := make(chan struct{})
	m.Taken = sync.OnceFunc(func() { close(taken) })
	select {
	case d.came <- m:
	case <-d.over:
		return errNotTaken
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-taken:
		return nil
	case <-d.over:
	case <-ctx.Done():
	}
	select { // of two at once it counts that it was taken
	case <-taken:
		return nil
	default:
		return errNotTaken
	}
}
