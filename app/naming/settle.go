package naming

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"gatehouse/app/dns"
	"gatehouse/app/order"
	"gatehouse/app/provider/dnshost"
)

// waits are the pauses between looks that the hub makes by itself; the last one goes on.
var waits = [...]time.Duration{
	15 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute,
	5 * time.Minute, 10 * time.Minute, 15 * time.Minute,
}

// lookWait is how long one look may take.
const lookWait = 40 * time.Second

// Settle does the DNS step of an order once: it makes the records where the hub can and asks the name servers. wait is when to come
// again; zero says that the name is right. What trying again cannot mend is an order.FinalError.
func (s *Service) Settle(ctx context.Context, o order.Order, at []netip.Addr, log func(lines ...string)) (wait time.Duration, err error) {
	n, err := s.name(ctx, o, at)
	if err != nil {
		return 0, err
	}
	if n.Provider == Loopback {
		log(fmt.Sprintf("Name %s: it means this machine by itself, so nothing public was made.", n.Host))
		return 0, s.Store.Save(ctx, n)
	}
	if err := s.Store.Save(ctx, n); err != nil { // the page shows what to enter while the first look goes on
		return 0, err
	}
	return s.conclude(ctx, o, s.work(ctx, n, log), n.Report, log)
}

// name is what is known of the order's name, begun anew when that is another one now or waiting for it had ended.
func (s *Service) name(ctx context.Context, o order.Order, at []netip.Addr) (Name, error) {
	n, err := s.Store.Get(ctx, o.ID)
	if err != nil {
		return Name{}, err
	}
	host, provider := s.Orders.Host(o), s.providerOf(o)
	if len(at) == 0 && provider != Loopback {
		return Name{}, order.Final("The place where this server stands does not tell its address, so no name can lead there.", nil)
	}
	if n.Host != host || n.Provider != provider || !slices.Equal(n.Addresses, at) {
		n = Name{OrderID: o.ID, Host: host, Provider: provider, Addresses: at}
	}
	if n.Since.IsZero() {
		n.Since, n.Looks = s.Now().UTC(), 0
	}
	return n, nil
}

// providerOf says who makes the records: those of a customer's own domain only its owner can.
func (s *Service) providerOf(o order.Order) string {
	if o.Domain != "" {
		return Manual
	}
	return s.Provider
}

// work makes the records where the hub can, then looks.
func (s *Service) work(ctx context.Context, n Name, log func(lines ...string)) Name {
	if n.Provider == Manual && s.Records != nil { // a customer's own domain in the place of a name under ours
		if err := s.Records.Release(ctx, string(n.OrderID)); err != nil {
			s.Log.Warn("records of a name that is no longer wanted stay", "order_id", n.OrderID, "error", err)
		}
	}
	if n.Provider != Manual && s.Records != nil {
		made, err := s.Records.Ensure(ctx, string(n.OrderID), n.Host, s.made(n))
		for _, r := range made {
			log(fmt.Sprintf("Record made: %s %s %s.", r.Type, r.Name, r.Value))
		}
		if err != nil {
			return s.troubled(n, err)
		}
	}
	return s.look(ctx, n)
}

// look asks the name servers.
func (s *Service) look(ctx context.Context, n Name) Name {
	looking, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	seen, err := s.Lookout.Look(looking, n.Host, nil)
	if err != nil {
		return s.troubled(n, err)
	}
	r := dns.Plan{Host: n.Host, Want: n.Want(), Issuer: s.Rules.Issuer.Or(s.Issuer)}.Judge(seen)
	n.LookedAt, n.Report, n.Problem, n.Detail = s.Now().UTC(), &r, "", ""
	return n
}

// troubled notes why nothing could be made or asked.
func (s *Service) troubled(n Name, err error) Name {
	n.LookedAt, n.Problem, n.Detail = s.Now().UTC(), Resolver, ""
	var e *dnshost.Error
	if errors.As(err, &e) {
		n.Problem, n.Detail = Problem(e.Kind), e.Detail
	}
	s.Log.Warn("name of an order does not get on", "order_id", n.OrderID, "host", n.Host, "error", err)
	return n
}

// conclude keeps what a try found and says whether the order goes on, waits or fails.
func (s *Service) conclude(
	ctx context.Context, o order.Order, n Name, before *dns.Report, log func(lines ...string),
) (time.Duration, error) {
	if ctx.Err() != nil {
		return 0, ctx.Err() // the hub is stopping: this was no try
	}
	reason := s.final(n)
	wait := waits[min(n.Looks, len(waits)-1)]
	n.Looks++
	switch {
	case n.Right():
		log(fmt.Sprintf("All %d name servers of %s have the right records.", len(n.Report.Servers), dns.Shown(n.Report.Zone)))
		n.Since, n.NextAt, wait = time.Time{}, time.Time{}, 0
	case reason != "":
		n.Since, n.NextAt = time.Time{}, time.Time{}
	default:
		n.NextAt = s.Now().UTC().Add(wait)
		if n.Problem == "" && !reflect.DeepEqual(before, n.Report) {
			log(fmt.Sprintf("Name %s is not right yet. The page of this order shows what is missing.", dns.Shown(n.Host)))
		}
	}
	if err := s.Store.Save(ctx, n); err != nil {
		return 0, err
	}
	s.Notify.OrderChanged(ctx, o.CustomerID, o.ID)
	if reason != "" {
		return 0, order.Final(reason, nil)
	}
	return wait, nil
}

// final is why the order fails now, in words for people; empty when it does not.
func (s *Service) final(n Name) string {
	if n.Right() {
		return ""
	}
	switch dnshost.Kind(n.Problem) {
	case dnshost.Access:
		return fmt.Sprintf("The DNS provider %s refuses the hub's token. Put a valid one in place, start the hub again, "+
			"then press Retry from here.", n.Provider)
	case dnshost.Zone:
		return fmt.Sprintf("The DNS provider %s does not have our zone, or the hub's token is not for it. Mend that, "+
			"then press Retry from here.", n.Provider)
	case dnshost.InTheWay:
		return fmt.Sprintf("At the DNS provider %s this record is in the way: %s. Take it away, "+
			"then press Retry from here.", n.Provider, n.Detail)
	case dnshost.Refused:
		return fmt.Sprintf(
			"The DNS provider %s does not take the records: %s. Mend that, then press Retry from here.",
			n.Provider,
			n.Detail,
		)
	}
	if s.Now().Sub(n.Since) < s.Rules.GiveUp.Or(s.GiveUp) {
		return ""
	}
	return s.late(n)
}

// late is what to do about a name that did not become right in time.
func (s *Service) late(n Name) string {
	lacking := n.Want()
	if n.Report != nil && len(n.Report.Lacking()) > 0 {
		return fmt.Sprintf("Name %s did not become right in time. Missing: %s. Enter what this page shows, then press Check now.",
			dns.Shown(n.Host), strings.Join(n.Report.Lacking(), ", "))
	}
	if n.Report == nil {
		return fmt.Sprintf("The name servers of %s could not be asked in time; %d records were to be found. Check the hub's resolver, "+
			"then press Check now.", dns.Shown(n.Host), len(lacking))
	}
	return fmt.Sprintf("Name %s did not become right in time. Its records are there; this page shows what else is wrong. "+
		"Mend that, then press Check now.", dns.Shown(n.Host))
}

// Host is the name of an order's server.
func (s *Service) Host(o order.Order) string { return s.Orders.Host(o) }

// Forget takes away what was made for an order.
func (s *Service) Forget(ctx context.Context, o order.Order) error {
	if s.Records == nil {
		return nil
	}
	return s.Records.Release(ctx, string(o.ID))
}
