package main

import (
	"context"
	"log/slog"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/relay"
	"gatehouse/app/server"
)

// notices tells open pages what changed. A notice that is lost is only logged: pages fetch the truth.
type notices struct {
	relay *relay.Relay
	log   *slog.Logger
}

func (n notices) OrderChanged(ctx context.Context, of account.CustomerID, id order.ID) {
	n.tell(ctx, relay.Notice{Kind: relay.KindOrder, CustomerID: string(of), ID: string(id)})
}

func (n notices) ServerChanged(ctx context.Context, of account.CustomerID, id server.ID) {
	n.tell(ctx, relay.Notice{Kind: relay.KindServer, CustomerID: string(of), ID: string(id)})
}

func (n notices) tell(ctx context.Context, notice relay.Notice) {
	if err := n.relay.Notify(notice); err != nil {
		n.log.WarnContext(ctx, "pages not told", "kind", notice.Kind, "id", notice.ID, "error", err)
	}
}
