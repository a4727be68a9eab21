package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/server"
	"gatehouse/app/tune"
)

// Servers is what the steps need of server.Service.
type Servers interface {
	Add(ctx context.Context, of account.CustomerID, orderID, slug, provider string) (server.Server, error)
	Get(ctx context.Context, of account.CustomerID, id server.ID) (server.Server, error)
	OfOrder(ctx context.Context, orderID string) (server.Server, error)
	MoveTo(ctx context.Context, id server.ID, provider string) error
	Mint(ctx context.Context, id server.ID) (token string, err error)
	Remove(ctx context.Context, of account.CustomerID, id server.ID) error
	Revoke(ctx context.Context, of account.CustomerID, id server.ID, by audit.Actor) error
}

// Links says whether a server has its link open, and ends it; relay.Relay does.
type Links interface {
	Linked(ctx context.Context, serverID string) bool
	Cut(serverID string) error
}

// Setups says whether a worker is at a server's set-up; db.Setups does.
type Setups interface {
	Busy(ctx context.Context, serverID string) (bool, error)
}

// People says who ordered; account.Service does.
type People interface {
	User(ctx context.Context, of account.CustomerID, id account.UserID) (account.User, error)
}

// Keys says whether the server of an order still lists the key that came with the order; order.Service does.
type Keys interface {
	KeyListed(ctx context.Context, id order.ID) (bool, error)
}

// Names gives servers their names; naming.Service does.
type Names interface {
	// Settle makes and checks the name of an order's server, which is reached at addresses. wait is when to come again; zero says
	// that the name is right.
	Settle(ctx context.Context, o order.Order, addresses []netip.Addr, log func(lines ...string)) (wait time.Duration, err error)
	// Host is the name of an order's server.
	Host(o order.Order) string
	// Forget takes away what was made for an order.
	Forget(ctx context.Context, o order.Order) error
}

// LaterError says that a step is not done yet, though nothing failed: it goes on after a while.
type LaterError struct{ After time.Duration }

func (e *LaterError) Error() string { return "not done yet; more in " + e.After.String() }

// Runner does the work of the states. Every step may be repeated, also after it was cut off in the middle.
type Runner struct {
	Servers Servers
	Hosts   map[string]vpshost.Host // by name
	Default string                  // the place of orders for which nobody chose one
	DNS     Names
	Links   Links
	Setups  Setups
	People  People
	Keys    Keys
	Origin  string        // of the hub's pages: a passkey that came with an order is bound to it
	Wait    time.Duration // how long a server has to register and open its link

	Place    func(o order.Order) string // the place of an order for which nobody chose one; nil or empty: Default
	Patience tune.Value[time.Duration]  // Wait, where our staff have set another one
}

// Log takes lines for the live log of the order.
type Log func(ctx context.Context, lines ...string)

// Done is what a step that worked leaves behind.
type Done struct {
	Text     string // for the order's history
	ServerID string // set by the step that made the server known
}

// Do does the work of the state in which o stands.
func (r *Runner) Do(ctx context.Context, o order.Order, log Log) (Done, error) {
	switch o.State {
	case order.PaymentConfirmed:
		return Done{Text: "Waiting for a server."}, nil
	case order.AwaitingServer:
		return r.allocate(ctx, o, log)
	case order.ServerReady:
		return Done{Text: "Making the server's name known."}, nil
	case order.DNSPending:
		return r.name(ctx, o, log)
	case order.DNSReady:
		return Done{Text: "Setting the server up."}, nil
	case order.Provisioning:
		return r.install(ctx, o, log)
	case order.Cancelled:
		return Done{}, r.release(ctx, o)
	case order.Stopping:
		return Done{Text: "Stopped. What was made for the order was given back."}, r.retire(ctx, o, log)
	case order.Releasing:
		return Done{Text: "The server was released."}, r.retire(ctx, o, log)
	}
	return Done{}, order.Final("There is nothing to do in this state.", fmt.Errorf("step %s", o.State))
}

func (r *Runner) allocate(ctx context.Context, o order.Order, log Log) (Done, error) {
	place := cmp.Or(o.Provider, r.usual(o))
	host, err := r.host(place)
	if err != nil {
		return Done{}, err
	}
	srv, err := r.Servers.Add(ctx, o.CustomerID, string(o.ID), o.Slug, place)
	if err != nil {
		return Done{}, err
	}
	if srv.Provider != place { // our staff chose another place after the first one had nothing
		if err := r.leave(ctx, srv, place); err != nil {
			return Done{}, err
		}
	}
	spec := vpshost.Spec{ServerID: string(srv.ID), Slug: o.Slug, Plan: string(o.Plan), Region: string(o.Region)}
	made := host.Allocate(ctx, spec)
	now, err := r.Servers.OfOrder(ctx, string(o.ID))
	gone := fault.Of(err).Kind == fault.NotFound     // cancelled meanwhile: nobody else knows of the machine, also of one half made
	if gone || err == nil && now.Provider != place { // or moved on
		return Done{}, errors.Join(order.ErrStale, host.Release(ctx, string(srv.ID)))
	}
	if err := cmp.Or(made, err); err != nil {
		return Done{}, refused(err)
	}
	log(ctx, fmt.Sprintf("Server %s is reserved with provider %q.", srv.ID, place))
	return Done{Text: "A server is reserved.", ServerID: string(srv.ID)}, nil
}

// usual is the place of an order for which nobody chose one.
func (r *Runner) usual(o order.Order) string {
	if r.Place == nil {
		return r.Default
	}
	return cmp.Or(r.Place(o), r.Default)
}

// leave gives back what an earlier place reserved: before the server moves, so that a try that is cut off is repeated, and after
// it, for a worker that was still reserving there.
func (r *Runner) leave(ctx context.Context, srv server.Server, next string) error {
	former, err := r.host(srv.Provider)
	if err != nil {
		return err
	}
	if err := former.Release(ctx, string(srv.ID)); err != nil {
		return err
	}
	if err := r.Servers.MoveTo(ctx, srv.ID, next); err != nil {
		return err
	}
	return former.Release(ctx, string(srv.ID))
}

// host is a place by its name.
func (r *Runner) host(name string) (vpshost.Host, error) {
	h := r.Hosts[name]
	if h == nil {
		return nil, order.Final(fmt.Sprintf("This hub cannot set servers up with provider %q. Choose another one.", name),
			errors.New("unknown provider"))
	}
	return h, nil
}

func (r *Runner) name(ctx context.Context, o order.Order, log Log) (Done, error) {
	addresses, err := r.addresses(ctx, o)
	if err != nil {
		return Done{}, err
	}
	wait, err := r.DNS.Settle(ctx, o, addresses, func(lines ...string) { log(ctx, lines...) })
	switch {
	case err != nil:
		return Done{}, refused(err)
	case wait > 0:
		return Done{}, &LaterError{After: wait}
	}
	return Done{Text: "The server's name answers."}, nil
}

// addresses lists where the order's server is reached; a place that does not know has none.
func (r *Runner) addresses(ctx context.Context, o order.Order) ([]netip.Addr, error) {
	srv, err := r.Servers.Get(ctx, o.CustomerID, server.ID(o.ServerID))
	if err != nil {
		return nil, err
	}
	host, err := r.host(srv.Provider)
	if err != nil {
		return nil, err
	}
	place, ok := host.(vpshost.Addressed)
	if !ok {
		return nil, nil
	}
	return place.Addresses(ctx, o.ServerID)
}

// release gives back what was made for an order: also a server that is on record while the order does not name it yet, for
// it was not reserved to the end.
func (r *Runner) release(ctx context.Context, o order.Order) error {
	if err := r.DNS.Forget(ctx, o); err != nil {
		return err
	}
	srv, err := r.Servers.OfOrder(ctx, string(o.ID))
	if fault.Of(err).Kind == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	host, err := r.host(srv.Provider)
	if err != nil {
		return err
	}
	if !srv.RevokedAt.IsZero() { // its set-up was stopped: something may have been started there since
		return host.Retire(ctx, string(srv.ID))
	}
	if err := host.Release(ctx, string(srv.ID)); err != nil {
		return err
	}
	return r.Servers.Remove(ctx, o.CustomerID, srv.ID)
}

// refused makes a refusal of the provider final: asking again would be refused again.
func refused(err error) error {
	var re *vpshost.RefusedError
	if errors.As(err, &re) {
		return order.Final(re.Reason, err)
	}
	return err
}
