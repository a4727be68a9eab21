package relay

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Peer is a server's connection at this hub, as its link endpoint hands it to the relay. No method may wait for the
// server.
type Peer interface {
	// Ask passes on a request, the JSON of a wire.RPCRequest. reply is called at most once, with a wire.RPCReply.
	Ask(request []byte, reply func([]byte))
	// Nudge says that frames wait in the server's outbox.
	Nudge()
	// Fence says that a connection of the same server with this epoch has opened at some hub; CutOff that none may stay.
	Fence(epoch int64)
}

// CutOff is an epoch above all: no connection of the server may stay.
const CutOff = math.MaxInt64

// Cut ends every connection of a server that has been revoked.
func (r *Relay) Cut(serverID string) error { return r.fence(serverID, CutOff) }

func (r *Relay) fence(serverID string, epoch int64) error {
	if !plain(serverID) {
		return fmt.Errorf("fence: server id %q", serverID)
	}
	if err := r.nc.Publish(serverSubject(serverID, wordFence), strconv.AppendInt(nil, epoch, 10)); err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	return nil
}

// Attach makes p the connection through which a server is reached, and tells older ones to give way. When it returns,
// questions arrive at p.
func (r *Relay) Attach(ctx context.Context, serverID string, epoch int64, p Peer) (detach func(), err error) {
	if !plain(serverID) {
		return nil, fmt.Errorf("attach: server id %q", serverID)
	}
	sub, err := r.nc.Subscribe(serverSubject(serverID, "*"), func(m *nats.Msg) { deliver(m, p) })
	if err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	detach = func() { _ = sub.Unsubscribe() } // fails only when the connection is gone, and the subscription with it
	if err := r.fence(serverID, epoch); err != nil {
		detach()
		return nil, fmt.Errorf("attach: %w", err)
	}
	if err := r.flush(ctx); err != nil {
		detach()
		return nil, fmt.Errorf("attach: %w", err)
	}
	return detach, nil
}

func deliver(m *nats.Msg, p Peer) {
	switch m.Subject[strings.LastIndexByte(m.Subject, '.')+1:] {
	case wordAsk:
		p.Ask(m.Data, func(reply []byte) { _ = m.Respond(reply) }) // a caller who is not told runs into its deadline
	case wordHere:
		_ = m.Respond(nil)
	case wordNudge:
		p.Nudge()
	case wordFence:
		if epoch, err := strconv.ParseInt(string(m.Data), 10, 64); err == nil {
			p.Fence(epoch)
		}
	}
}

// Nudge asks whichever hub holds the server's link to send what waits in its outbox. Without a link nothing happens:
// the outbox is sent when the server comes back.
func (r *Relay) Nudge(serverID string) error {
	if !plain(serverID) {
		return fmt.Errorf("nudge: server id %q", serverID)
	}
	if err := r.nc.Publish(serverSubject(serverID, wordNudge), nil); err != nil {
		return fmt.Errorf("nudge: %w", err)
	}
	return nil
}

// Linked says whether some hub holds a link of the server.
func (r *Relay) Linked(ctx context.Context, serverID string) bool {
	if !plain(serverID) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := r.nc.RequestWithContext(ctx, serverSubject(serverID, wordHere), nil)
	return err == nil
}
