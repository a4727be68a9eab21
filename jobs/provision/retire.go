package provision

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
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
