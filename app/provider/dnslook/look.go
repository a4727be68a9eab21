package dnslook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	wire "github.com/miekg/dns"
	"golang.org/x/sync/errgroup"

	"gatehouse/app/dns"
	"gatehouse/app/tune"
)

// Lookout asks name servers.
type Lookout struct {
	Resolver string        // host:port of the resolver that knows which servers are authoritative; empty: as this machine has it
	Port     string        // where authoritative servers listen; empty: 53
	Private  bool          // servers in private networks are asked too: for tests, and for zones that only a company sees
	Wait     time.Duration // for one answer; zero: 3 s

	Asks tune.Value[string] // Resolver, where our staff may set another one
}

// ErrResolver says that the resolver did not answer, so that nothing is known.
var ErrResolver = errors.New("the resolver does not answer")

const (
	answerWait = 3 * time.Second
	maxServers = 13   // more than any zone has
	udpSize    = 1232 // fits every network without fragments
)

// Look finds the zone of host and asks each of its name servers for what matters.
func (l *Lookout) Look(ctx context.Context, host string, apps []string) (dns.Seen, error) {
	zone, names, err := l.zone(ctx, host)
	if err != nil || zone == "" {
		return dns.Seen{}, err
	}
	seen := dns.Seen{Zone: zone, Servers: make([]dns.Server, len(names))}
	all, asking := errgroup.WithContext(ctx)
	for i, name := range names {
		all.Go(func() error {
			var err error
			seen.Servers[i], err = l.ask(asking, name, zone, dns.Questions(host, zone, apps))
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return dns.Seen{}, err
	}
	return seen, nil
}

// zone goes up from host to the name that has name servers of its own.
func (l *Lookout) zone(ctx context.Context, host string) (zone string, servers []string, err error) {
	for name := host; name != "" && !dns.IsSuffix(name); name = dns.Parent(name) {
		in, err := l.resolve(ctx, name, wire.TypeNS)
		if err != nil {
			return "", nil, err
		}
		for _, rr := range in.Answer {
			if ns, ok := rr.(*wire.NS); ok && bare(ns.Hdr.Name) == name {
				servers = append(servers, bare(ns.Ns))
			}
		}
		if len(servers) > 0 {
			slices.Sort(servers)
			servers = slices.Compact(servers)
			return name, servers[:min(len(servers), maxServers)], nil
		}
	}
	return "", nil, nil
}

// resolve asks the resolver. That a name is not there is an answer.
func (l *Lookout) resolve(ctx context.Context, name string, kind uint16) (*wire.Msg, error) {
	at, err := l.resolver()
	if err != nil {
		return nil, err
	}
	in, err := l.exchange(ctx, at, name, kind, true)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrResolver, err)
	}
	if in.Rcode != wire.RcodeSuccess && in.Rcode != wire.RcodeNameError {
		return nil, fmt.Errorf("%w: %s %s: %s", ErrResolver, name, wire.TypeToString[kind], wire.RcodeToString[in.Rcode])
	}
	return in, nil
}

func (l *Lookout) resolver() (string, error) {
	if at := l.Asks.Or(l.Resolver); at != "" {
		return at, nil
	}
	conf, err := wire.ClientConfigFromFile("/etc/resolv.conf")
	if err != nil || len(conf.Servers) == 0 {
		return "", fmt.Errorf("%w: /etc/resolv.conf names none: %w", ErrResolver, err)
	}
	return net.JoinHostPort(conf.Servers[0], conf.Port), nil
}

// ask asks one name server all questions, at the first of its addresses that answers.
func (l *Lookout) ask(ctx context.Context, name, zone string, questions []dns.Question) (dns.Server, error) {
	addresses, err := l.addresses(ctx, name)
	if err != nil && !errors.Is(err, ErrResolver) {
		return dns.Server{}, err
	}
	s := dns.Server{Name: name, Trouble: dns.NoAddress}
	for _, a := range addresses {
		s = dns.Server{Name: name, Address: a.String()}
		if !l.Private && !public(a) {
			s.Trouble = dns.Private
			continue
		}
		if s = l.askAt(ctx, s, zone, questions); s.Trouble != dns.NoAnswer {
			break
		}
	}
	return s, ctx.Err()
}

// addresses lists where a name server stands, IPv4 first: the hub may have no other way.
func (l *Lookout) addresses(ctx context.Context, name string) (all []netip.Addr, err error) {
	for _, kind := range []uint16{wire.TypeA, wire.TypeAAAA} {
		in, resolveErr := l.resolve(ctx, name, kind)
		if resolveErr != nil {
			err = resolveErr
			continue
		}
		for _, rr := range in.Answer {
			if a, ok := netip.AddrFromSlice(addressIn(rr)); ok {
				all = append(all, a.Unmap())
			}
		}
	}
	return all, err
}

func addressIn(rr wire.RR) net.IP {
	switch rr := rr.(type) {
	case *wire.A:
		return rr.A
	case *wire.AAAA:
		return rr.AAAA
	}
	return nil
}

// public says whether an address is one that everybody may be sent to: whoever owns a domain names its servers, and must not make
// the hub ask inside its own network.
func public(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && !netip.MustParsePrefix("100.64.0.0/10").Contains(a)
}

// askAt asks a server at one address. The first answer that cannot be used ends it.
func (l *Lookout) askAt(ctx context.Context, s dns.Server, zone string, questions []dns.Question) dns.Server {
	at := net.JoinHostPort(s.Address, cmp.Or(l.Port, "53"))
	for _, q := range questions {
		in, err := l.exchange(ctx, at, q.Name, wire.StringToType[q.Type], false)
		switch {
		case err != nil:
			s.Trouble = dns.NoAnswer
		case in.Rcode != wire.RcodeSuccess && in.Rcode != wire.RcodeNameError, !in.Authoritative:
			s.Trouble = dns.NotForIt
		}
		if s.Trouble != "" {
			return s
		}
		s.Answers = append(s.Answers, answers(q, in.Answer)...)
	}
	return s
}

// answers reads what a server holds of a name: of the type that was asked for, and a CNAME in its place.
func answers(q dns.Question, section []wire.RR) []dns.Answer {
	held, alias := dns.Answer{Name: q.Name, Type: q.Type}, dns.Answer{Name: q.Name, Type: dns.CNAME}
	for _, rr := range section {
		if !strings.EqualFold(bare(rr.Header().Name), q.Name) {
			continue // where a CNAME leads
		}
		switch rr := rr.(type) {
		case *wire.CNAME:
			alias.Values = append(alias.Values, bare(rr.Target))
		case *wire.CAA:
			held.Values = append(held.Values, fmt.Sprintf("%d %s %q", rr.Flag, rr.Tag, rr.Value))
		default:
			if a, ok := netip.AddrFromSlice(addressIn(rr)); ok {
				held.Values = append(held.Values, a.Unmap().String())
			}
		}
	}
	if len(alias.Values) > 0 {
		return []dns.Answer{held, alias}
	}
	return []dns.Answer{held}
}

// exchange asks one question over UDP, once more when no answer came, and over TCP when it did not fit or never came.
func (l *Lookout) exchange(ctx context.Context, at, name string, kind uint16, recurse bool) (*wire.Msg, error) {
	m := new(wire.Msg)
	m.SetQuestion(wire.Fqdn(name), kind)
	m.RecursionDesired = recurse
	m.SetEdns0(udpSize, false)
	var errs []error
	for _, way := range []string{"udp", "udp", "tcp"} {
		c := wire.Client{Net: way, Timeout: cmp.Or(l.Wait, answerWait), UDPSize: udpSize}
		in, _, err := c.ExchangeContext(ctx, m, at)
		if err == nil && !in.Truncated {
			return in, nil
		}
		if err == nil && way == "udp" {
			c.Net = "tcp"
			if in, _, err = c.ExchangeContext(ctx, m, at); err == nil {
				return in, nil
			}
			return nil, err
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

func bare(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
