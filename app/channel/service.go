package channel

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// How long a server is waited for; a test signs in at two servers elsewhere.
const (
	askWait  = 10 * time.Second
	testWait = 25 * time.Second // the server answers within 22
)

// Hooks keeps to which server an address belongs to which a messenger brings messages; db.ChannelHooks has it.
type Hooks interface {
	// Learn keeps the address of a server's channel in the place of the one it had; empty: it has none.
	Learn(ctx context.Context, of server.ID, channel, hook string) error
}

// Service is what pages and the API do with channels.
type Service struct {
	Peer  server.Peer
	Hooks Hooks
}

// List gives the channels of a customer's server, by name.
func (s *Service) List(ctx context.Context, of account.CustomerID) (wire.ChannelsResult, error) {
	got, err := server.Ask[wire.ChannelsResult](ctx, s.Peer, of, wire.MethodChannelsList, wire.ChannelsParams{}, askWait)
	for _, ch := range got.Items {
		if err == nil && ch.Hook != "" { // of a hub that was put back to before it knew the address
			err = s.learn(ctx, of, ch)
		}
	}
	return got, err
}

// Change carries a person's act on a channel. The server checks the signature.
func (s *Service) Change(ctx context.Context, of account.CustomerID, c wire.ChannelChange) (wire.Channel, error) {
	got, err := server.Ask[wire.Channel](ctx, s.Peer, of, wire.MethodChannelChange, c, askWait)
	if err == nil && (c.Act.Do == wire.ChannelDoPut || c.Act.Do == wire.ChannelDoRemove) {
		err = s.learn(ctx, of, got)
	}
	return got, err
}

// learn keeps where the messages of a channel come, which its server has made up.
func (s *Service) learn(ctx context.Context, of account.CustomerID, ch wire.Channel) error {
	if ch.Hook != "" && !wire.ChannelHooked(ch.Hook) || !wire.IsMessaging(ch.Name) {
		return nil
	}
	id, err := s.Peer.Servers.ServerOf(ctx, of)
	if err != nil {
		return err
	}
	return s.Hooks.Learn(ctx, id, ch.Name, ch.Hook)
}

// Strangers gives a page of those who wrote to a channel that is open to everybody.
func (s *Service) Strangers(
	ctx context.Context, of account.CustomerID, p wire.ChannelStrangersParams,
) (wire.ChannelStrangersResult, error) {
	return server.Ask[wire.ChannelStrangersResult](ctx, s.Peer, of, wire.MethodChannelStrangers, p, askWait)
}

// Test asks the server to sign in to a channel, and to send a message that shows it.
func (s *Service) Test(ctx context.Context, of account.CustomerID, t wire.ChannelTest) (wire.ChannelTested, error) {
	return server.Ask[wire.ChannelTested](ctx, s.Peer, of, wire.MethodChannelTest, t, testWait)
}
