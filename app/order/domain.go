package order

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/dns"
	"gatehouse/app/fault"
)

// ErrDomain refuses another name for a server that has its own already.
var ErrDomain = fault.New(fault.Conflict, "domain-fixed", "domain of an order past its DNS step",
	"The server has its name already, so it can no longer get another one here. Nothing was changed.")

// Host is the name under which the order's server is reached.
func (s *Service) Host(o Order) string { return s.Names.Host(o.Domain, o.Slug) }

// Renamable says whether the order's server may still get another name.
func (o Order) Renamable() bool {
	at := o.Step().place()
	return at >= 0 && at <= DNSPending.place()
}

// SetDomain gives the order's server another name: the customer's own domain as it was typed, or one under ours when that is empty.
// While the order waits for its name, or failed there, it goes on with the new one at once.
func (s *Service) SetDomain(ctx context.Context, of account.CustomerID, id ID, typed string, by audit.Actor) (Order, error) {
	domain, problem := s.Names.Parse(typed)
	if problem != "" {
		return Order{}, fault.Bad(map[string]string{"domain": problem})
	}
	return s.act(ctx, of, id, by, "order.domain", func(o *Order, now time.Time) (Change, error) {
		if !o.Renamable() {
			return Change{}, ErrDomain
		}
		if o.Domain == domain {
			return Change{}, nil
		}
		o.Domain = domain
		text := "Its server is reached under " + dns.Shown(s.Host(*o)) + "."
		return o.again(Change{Events: []Event{o.event(now, by.Name, text)}}, now, by), nil
	})
}

// GoOn lets an order that waits for its name, or failed there, go on at once: somebody saw that the name is right now.
func (s *Service) GoOn(ctx context.Context, of account.CustomerID, id ID, by audit.Actor) (Order, error) {
	return s.act(ctx, of, id, by, "order.name", func(o *Order, now time.Time) (Change, error) { return o.again(Change{}, now, by), nil })
}

// again adds to a change that the DNS step is taken up anew, if the order stands or failed there. An order of mode MANUAL waits for
// our staff as before.
func (o *Order) again(ch Change, now time.Time, by audit.Actor) Change {
	if o.Step() != DNSPending || o.Mode != Auto {
		return ch
	}
	if o.State == Failed {
		o.State, o.FailedStep, o.Reason = DNSPending, "", ""
		ch.Events = append(ch.Events, o.event(now, by.Name, "Taken up again from here."))
	}
	o.Attempt++
	ch.Work = append(ch.Work, o.step()...)
	return ch
}
