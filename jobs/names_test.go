package jobs_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/dns"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/provider/dnshost"
	"gatehouse/app/provider/dnshost/dnstest"
	"gatehouse/app/provider/dnslook"
	"gatehouse/app/provider/vpshost"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs/provision"
)

// ours is the zone under which this hub gives names, theirs a customer's.
const ours, theirs = "hosted.example.net", "bakery.example.com"

var (
	owner     = audit.Actor{Kind: audit.User, Name: "owner@example.com"}
	operator  = audit.Actor{Kind: audit.Staff, Name: "operator@example.com", Role: "ADMIN"}
	onlooker  = audit.Actor{Kind: audit.Staff, Name: "onlooker@example.com", Role: "SUPPORT"}
	reachedAt = netip.MustParseAddr("192.0.2.1")
)

// placed is the counting host, whose machines stand at an address.
type placed struct{ *host }

func (placed) Addresses(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{reachedAt}, nil
}

// named is a hub that gives real names at real name servers: a pair that do not tell each other, of which it reaches the first.
type named struct {
	*bench
	pair  *dnstest.Pair
	names *naming.Service
}

func newNamed(t *testing.T, change func(*naming.Service)) *named {
	t.Helper()
	pair, err := dnstest.StartPair(t.Context(), t.TempDir())
	must(t, err)
	t.Cleanup(pair.Stop)
	must(t, pair.AddZone(t.Context(), ours))
	must(t, pair.AddZone(t.Context(), theirs))
	b := newBench(t, dbtest.New(t))
	b.orders.Names = dns.Policy{Zone: ours, Own: true}
	api, err := dnshost.NewPowerDNS(pair.Servers[0].API, dnstest.Key)
	must(t, err)
	n := &named{bench: b, pair: pair, names: &naming.Service{
		Orders: b.orders, Store: &db.Names{DB: b.db}, Provider: dnshost.PowerDNSName,
		Records: &dnshost.Host{Provider: api, Zone: ours, Book: &db.DNSRecords{DB: b.db, Now: time.Now}},
		Lookout: &dnslook.Lookout{Resolver: pair.Resolver(), Port: pair.Port, Private: true, Wait: time.Second},
		Issuer:  "letsencrypt.org", Record: &db.Trail{DB: b.db}, Notify: b.told, GiveUp: time.Hour, Now: time.Now, Log: quiet,
	}}
	if change != nil {
		change(n.names)
	}
	d := b.deps(time.Now)
	d.Steps = &provision.Runner{
		Servers: b.servers, Hosts: map[string]vpshost.Host{"fake": placed{b.host}}, Default: "fake", DNS: n.names, Links: b.host,
		People: b.account, Wait: time.Minute,
	}
	b.work(t, d)
	return n
}

func (n *named) order(t *testing.T, domain string) order.Order {
	t.Helper()
	_, o, err := n.orders.Checkout(t.Context(), account.SignUp{
		Name: "Somebody", Business: "Example Bakery", Email: "s" + uuid.NewString() + "@example.com", Password: "correct staple battery", TimeZone: "Europe/Vienna",
	}, order.Choice{Plan: "build", Domain: domain})
	must(t, err)
	return o
}

// waits waits until the hub has looked and will look again by itself.
func (n *named) waits(t *testing.T, o order.Order) naming.State {
	t.Helper()
	var s naming.State
	eventually(t, "the hub waits for the name", func() bool {
		now, err := n.orders.Find(t.Context(), o.ID)
		must(t, err)
		s, err = n.names.Of(t.Context(), now)
		must(t, err)
		return now.State == order.DNSPending && !s.NextAt.IsZero() && s.Host == n.orders.Host(now)
	})
	return s
}

// check asks the name servers as the owner does, once those were left alone for long enough.
func (n *named) check(t *testing.T, o order.Order, by audit.Actor) naming.State {
	t.Helper()
	var s naming.State
	eventually(t, "the name servers are asked", func() bool {
		var err error
		s, err = n.names.Check(t.Context(), o.CustomerID, o.ID, by)
		if errors.Is(err, naming.ErrSoon) {
			return false
		}
		must(t, err)
		return true
	})
	return s
}

// enter makes the records that a page shows, as their owner does at the own provider.
func (n *named) enter(t *testing.T, zone string, s naming.State) {
	t.Helper()
	for _, r := range s.Want() {
		must(t, n.pair.Set(t.Context(), zone, r.Name, r.Type, r.Value))
	}
}

func (n *named) lines(t *testing.T, o order.Order) string {
	t.Helper()
	lines, err := n.orders.Lines(t.Context(), o.ID, order.LineFilter{})
	must(t, err)
	var all []string
	for _, l := range lines {
		all = append(all, l.Text)
	}
	return strings.Join(all, "\n")
}

// TestNames_underOurs: the hub makes the records, waits until the second name server has them as well, and takes them away with the
// order.
func TestNames_underOurs(t *testing.T) {
	t.Parallel()
	n := newNamed(t, nil)
	o := n.order(t, "")
	s := n.waits(t, o)
	if s.Own || s.Host != o.Slug+"."+ours || s.Report.Rows[0].Status != dns.Spreading || s.Looks < 1 {
		t.Fatalf("while one server has it: %+v", s)
	}
	if left := time.Until(s.NextAt); left <= 0 || left > 16*time.Second {
		t.Errorf("the next look is in %s", left)
	}
	stranded, err := n.orders.Stranded(t.Context(), time.Now().Add(time.Hour))
	if err != nil || len(stranded) != 0 {
		t.Errorf("an order that waits counts as left alone: %v, %v", stranded, err)
	}
	if _, err := n.names.Check(t.Context(), o.CustomerID, o.ID, onlooker); err == nil {
		t.Error("somebody who may only look had the servers asked")
	}
	if _, err := n.names.Make(t.Context(), o.CustomerID, o.ID, operator); err != nil {
		t.Errorf("made again: %v", err)
	}
	for _, r := range s.Want() {
		must(t, n.pair.Servers[1].Set(t.Context(), ours, r.Name, r.Type, r.Value))
	}
	if s = n.check(t, o, owner); !s.Right() {
		t.Errorf("when both have it: %+v", s.Report)
	}
	n.reaches(t, o, order.Fulfilled)
	if said := n.lines(t, o); strings.Count(said, "Record made: ") != 2 || !strings.Contains(said, "All 2 name servers of "+ours) {
		t.Errorf("log:\n%s", said)
	}
	book := &db.DNSRecords{DB: n.db, Now: time.Now}
	made, err := book.Ours(t.Context(), string(o.ID), dnshost.PowerDNSName, ours)
	if err != nil || len(made) != 2 {
		t.Errorf("in the book: %v, %v", made, err)
	}
}

// TestNames_calledOff: with the order, its records go.
func TestNames_calledOff(t *testing.T) {
	t.Parallel()
	n := newNamed(t, nil)
	o := n.order(t, "")
	n.waits(t, o)
	_, err := n.orders.Cancel(t.Context(), o.CustomerID, o.ID, owner)
	must(t, err)
	book := &db.DNSRecords{DB: n.db, Now: time.Now}
	eventually(t, "the records are gone", func() bool {
		made, err := book.Ours(t.Context(), string(o.ID), dnshost.PowerDNSName, ours)
		must(t, err)
		return len(made) == 0
	})
	seen, err := n.names.Lookout.Look(t.Context(), o.Slug+"."+ours, nil)
	must(t, err)
	for _, s := range seen.Servers {
		if slices.ContainsFunc(s.Answers, func(a dns.Answer) bool { return len(a.Values) > 0 }) {
			t.Errorf("%s still says %+v", s.Name, s.Answers)
		}
	}
}

// TestNames_ownDomain: the hub makes nothing, says what to enter, follows a change of mind, and goes on when all is there.
func TestNames_ownDomain(t *testing.T) {
	t.Parallel()
	n := newNamed(t, nil)
	o := n.order(t, "Wrong."+theirs)
	s := n.waits(t, o)
	if !s.Own || s.Provider != naming.Manual || len(s.Report.Lacking()) != 2 {
		t.Fatalf("waiting for the owner: %+v", s)
	}
	if _, err := n.names.Make(t.Context(), o.CustomerID, o.ID, operator); !errors.Is(err, naming.ErrByHand) {
		t.Errorf("made at a customer's provider: %v", err)
	}
	if _, err := n.orders.SetDomain(t.Context(), o.CustomerID, o.ID, "x."+ours, owner); err == nil {
		t.Error("a name under ours was taken as one's own")
	}
	_, err := n.orders.SetDomain(t.Context(), o.CustomerID, o.ID, "team."+theirs, owner)
	must(t, err)
	s = n.waits(t, o)
	if s.Host != "team."+theirs || s.Report.Right {
		t.Fatalf("after a change of mind: %+v", s)
	}
	n.enter(t, theirs, s)
	n.check(t, o, owner)
	o = n.reaches(t, o, order.Fulfilled)
	if _, err := n.orders.SetDomain(t.Context(), o.CustomerID, o.ID, "", owner); !errors.Is(err, order.ErrDomain) {
		t.Errorf("renamed after all: %v", err)
	}
}

// TestNames_neverSpreads: the order fails with what is missing, and goes on from there once that is entered: by our staff's press,
// or by itself when its owner has the servers asked.
func TestNames_neverSpreads(t *testing.T) {
	t.Parallel()
	n := newNamed(t, func(s *naming.Service) { s.GiveUp = time.Nanosecond })
	first, second := n.order(t, "one."+theirs), n.order(t, "two."+theirs)
	for _, o := range []order.Order{first, second} {
		o = n.reaches(t, o, order.Failed)
		if o.FailedStep != order.DNSPending || !strings.Contains(o.Reason, "Missing: A "+o.Domain+" 192.0.2.1") {
			t.Errorf("failed at %s: %s", o.FailedStep, o.Reason)
		}
		s, err := n.names.Of(t.Context(), o)
		if err != nil || !s.Waits || !s.NextAt.IsZero() || s.Report == nil {
			t.Errorf("%+v, %v", s, err)
		}
		n.enter(t, theirs, s)
	}
	_, err := n.orders.Retry(t.Context(), first.CustomerID, first.ID, operator)
	must(t, err)
	n.reaches(t, first, order.Fulfilled)
	n.check(t, second, owner)
	n.reaches(t, second, order.Fulfilled)
}

// TestNames_tokenRefused: trying again cannot help, so the order says at once what to do, and its reason holds no token.
func TestNames_tokenRefused(t *testing.T) {
	t.Parallel()
	const secret = "a-token-that-ran-out"
	n := newNamed(t, func(s *naming.Service) {
		cf := dnstest.NewCloudflare(ours)
		t.Cleanup(cf.Close)
		api, err := dnshost.NewCloudflare(cf.URL+"/client/v4", secret)
		must(t, err)
		s.Provider, s.Records.(*dnshost.Host).Provider = dnshost.CloudflareName, api
	})
	o := n.reaches(t, n.order(t, ""), order.Failed)
	if !strings.Contains(o.Reason, "cloudflare refuses the hub's token") || strings.Contains(o.Reason+n.lines(t, o), secret) {
		t.Errorf("reason %q", o.Reason)
	}
}

// TestNames_resolverAway: nothing is known then, so the order waits.
func TestNames_resolverAway(t *testing.T) {
	t.Parallel()
	n := newNamed(t, func(s *naming.Service) {
		s.Lookout = &dnslook.Lookout{Resolver: "127.0.0.1:1", Wait: 10 * time.Millisecond}
	})
	if s := n.waits(t, n.order(t, "")); s.Problem != naming.Resolver || s.Report != nil {
		t.Errorf("%+v", s)
	}
}

// TestNames_loopback: a hub for trying out needs no name server.
func TestNames_loopback(t *testing.T) {
	t.Parallel()
	n := newNamed(t, func(s *naming.Service) { s.Provider, s.Records, s.Lookout = naming.Loopback, nil, nil })
	n.orders.Names = dns.Policy{}
	n.reaches(t, n.order(t, ""), order.Fulfilled)
}
