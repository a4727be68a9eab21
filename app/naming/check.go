package naming

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/staff"
)

// Of is what is known of the name of an order's server.
func (s *Service) Of(ctx context.Context, o order.Order) (State, error) {
	n, err := s.Store.Get(ctx, o.ID)
	if err != nil {
		return State{}, err
	}
	if host := s.Orders.Host(o); n.Host != host { // nothing is known of this one yet
		n = Name{OrderID: o.ID, Host: host, Provider: s.providerOf(o)}
	}
	if o.Step() != order.DNSPending || o.State == order.Failed {
		n.NextAt = time.Time{}
	}
	return State{Name: n, Own: o.Domain != "", Renamable: o.Renamable(), Waits: o.Step() == order.DNSPending}, nil
}

// calm is how long name servers are left alone after a look that somebody asked for.
const calm = 5 * time.Second

// checkWait is how long somebody waits for name servers: less than a page may take.
const checkWait = 20 * time.Second

// Check asks the name servers now. When all is right, an order that waits for it goes on.
func (s *Service) Check(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (State, error) {
	o, n, err := s.known(ctx, of, id, by)
	if err != nil {
		return State{}, err
	}
	if n.Provider == Loopback {
		return s.Of(ctx, o)
	}
	if s.Now().Sub(n.LookedAt) < s.Rules.Calm.Or(calm) {
		return State{}, ErrSoon
	}
	looking, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	return s.noted(ctx, o, s.look(looking, n), by)
}

// Make makes the records now where the hub can, then asks the name servers: staff only. It may be repeated.
func (s *Service) Make(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (State, error) {
	o, n, err := s.known(ctx, of, id, by)
	if err != nil {
		return State{}, err
	}
	if n.Provider == Loopback || n.Provider == Manual || s.Records == nil {
		return State{}, ErrByHand
	}
	entry, err := uuid.NewV7()
	if err != nil {
		return State{}, fmt.Errorf("make records: %w", err)
	}
	if err := s.Record.Add(ctx, audit.Entry{
		ID: entry.String(), At: s.Now().UTC(), By: by, CustomerID: string(of), Action: "order.dns", Target: string(id),
		Details: map[string]string{"host": n.Host, "provider": n.Provider},
	}); err != nil {
		return State{}, err
	}
	var lines []string
	n = s.work(ctx, n, func(more ...string) { lines = append(lines, more...) })
	if err := s.Orders.Log(ctx, o, lines...); err != nil {
		return State{}, err
	}
	return s.noted(ctx, o, n, by)
}

// known is an order with its name, once there is something to lead to.
func (s *Service) known(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (order.Order, Name, error) {
	if err := staff.Require(by, staff.OrdersAct); err != nil {
		return order.Order{}, Name{}, err
	}
	o, err := s.Orders.Get(ctx, of, id)
	if err != nil {
		return order.Order{}, Name{}, err
	}
	n, err := s.Store.Get(ctx, id)
	if err == nil && (n.Host == "" || n.Host != s.Orders.Host(o)) {
		err = ErrEarly
	}
	return o, n, err
}

// noted keeps what a look found and lets the order go on when all is right.
func (s *Service) noted(ctx context.Context, o order.Order, n Name, by audit.Actor) (State, error) {
	if ctx.Err() != nil {
		return State{}, ctx.Err()
	}
	if err := s.Store.Seen(ctx, n); err != nil {
		return State{}, err
	}
	if n.Right() && o.Step() == order.DNSPending {
		var err error
		if o, err = s.Orders.GoOn(ctx, o.CustomerID, o.ID, by); err != nil {
			return State{}, err
		}
	} else {
		s.Notify.OrderChanged(ctx, o.CustomerID, o.ID)
	}
	return s.Of(ctx, o)
}
