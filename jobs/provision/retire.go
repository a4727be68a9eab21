package provision

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/server"
)

// ErrBusy says that another worker is still at the machine: the step is to be tried again in a moment.
var ErrBusy = errors.New("another worker is at the machine")

// retire gives back a server whose set-up was begun: it is cut off from the hub, ended and taken out of service. It waits until no
// worker sets the machine up any more. A repeat goes on where the last one was cut off. The order's records go before the machine
// does, for its address may soon be somebody else's; those of an order that replaces this one are that order's own and stay.
func (r *Runner) retire(ctx context.Context, o order.Order, log Log) error {
	srv, err := r.Servers.OfOrder(ctx, string(o.ID))
	if fault.Of(err).Kind == fault.NotFound {
		return r.DNS.Forget(ctx, o)
	}
	if err != nil {
		return err
	}
	host, err := r.host(srv.Provider)
	if err != nil {
		return err
	}
	busy, err := r.Setups.Busy(ctx, string(srv.ID))
	if err != nil {
		return err
	}
	if busy {
		return ErrBusy
	}
	if err := wipe(ctx, host, srv, o, log); err != nil {
		return err
	}
	if srv.RevokedAt.IsZero() {
		if err := r.Servers.Revoke(ctx, o.CustomerID, srv.ID, audit.Itself); err != nil && fault.Of(err).Kind != fault.NotFound {
			return err
		}
		log(ctx, "The server is cut off from the hub.")
	}
	if err := r.Links.Cut(string(srv.ID)); err != nil {
		return fmt.Errorf("end link of server %s: %w", srv.ID, err)
	}
	if err := r.DNS.Forget(ctx, o); err != nil {
		return fmt.Errorf("remove records of server %s: %w", srv.ID, err)
	}
	if err := host.Retire(ctx, string(srv.ID)); err != nil {
		return refused(err)
	}
	log(ctx, fmt.Sprintf("Server %s is given back to provider %q.", srv.ID, srv.Provider))
	return nil
}

// wipe has the server's machine wiped, where our staff have confirmed it: by the server's own link, so before that is cut. An order
// that is stopped in the middle of its set-up has no such server.
func wipe(ctx context.Context, host vpshost.Host, srv server.Server, o order.Order, log Log) error {
	place, can := host.(vpshost.Wiper)
	if !can || !srv.RevokedAt.IsZero() || o.State != order.Releasing {
		return nil
	}
	wait, err := place.Wipe(ctx, vpshost.Wiping{
		ServerID: string(srv.ID), Ended: o.EndedAt, Say: func(lines ...string) { log(ctx, lines...) },
	})
	if err == nil && wait > 0 {
		err = &LaterError{After: wait}
	}
	return err
}
