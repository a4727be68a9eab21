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

// Service is what pages and the API do with channels.
type Service struct{ Peer server.Peer }

// List gives the channels of a customer's server, by name.
func (s *Service) List(ctx context.Context, of account.CustomerID) (wire.ChannelsResult, error) {
	return server.Ask[wire.ChannelsResult](ctx, s.Peer, of, wire.MethodChannelsList, wire.ChannelsParams{}, askWait)
}

// Change carries a person's act on a channel. The server checks the signature.
func (s *Service) Change(ctx context.Context, of account.CustomerID, c wire.ChannelChange) (wire.Channel, error) {
	return server.Ask[wire.Channel](ctx, s.Peer, of, wire.MethodChannelChange, c, askWait)
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
