package dnslook_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	wire "github.com/miekg/dns"

	"gatehouse/app/dns"
	"gatehouse/app/provider/dnshost/dnstest"
	"gatehouse/app/provider/dnslook"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, zones ...string) (*dnstest.Pair, *dnslook.Lookout) {
	t.Helper()
	pair, err := dnstest.StartPair(t.Context(), t.TempDir())
	must(t, err)
	t.Cleanup(pair.Stop)
	for _, z := range zones {
		must(t, pair.AddZone(t.Context(), z))
	}
	return pair, &dnslook.Lookout{Resolver: pair.Resolver(), Port: pair.Port, Private: true, Wait: time.Second}
}

// judged is what people are told of a name.
func judged(t *testing.T, l *dnslook.Lookout, host string) dns.Report {
	t.Helper()
	seen, err := l.Look(t.Context(), host, nil)
	must(t, err)
	return dns.Plan{
		Host:   host,
		Want:   dns.Wanted(host, []netip.Addr{netip.MustParseAddr("192.0.2.1")}),
		Issuer: "letsencrypt.org",
	}.Judge(
		seen,
	)
}

func kinds(r dns.Report) (all []dns.Kind) {
	for _, m := range r.Remarks {
		all = append(all, m.Kind)
	}
	return all
}

// TestLookout_Look follows a name from nothing to right, at two real servers that do not tell each other.
func TestLookout_Look(t *testing.T) {
	t.Parallel()
	const zone, host = "bakery.example.com", "team.bakery.example.com"
	ctx := t.Context()
	pair, l := open(t, zone)

	r := judged(t, l, host)
	if r.Right || r.Zone != zone || len(r.Servers) != 2 || r.Rows[0].Status != dns.Missing || len(r.Remarks) != 0 {
		t.Fatalf("nothing is there yet: %+v", r)
	}
	must(t, pair.Set(ctx, zone, "*."+zone, "A", "203.0.113.9"))
	if r = judged(t, l, host); !slices.Equal(kinds(r), []dns.Kind{dns.Covered}) || r.Rows[0].Status != dns.Missing {
		t.Fatalf("a wildcard further up: %+v", r)
	}
	must(t, pair.Set(ctx, zone, host, "CNAME", "old.example.org"))
	if r = judged(t, l, host); !slices.Contains(kinds(r), dns.Alias) {
		t.Fatalf("an alias: %+v", r)
	}
	must(t, pair.Set(ctx, zone, host, "CNAME"))
	must(t, pair.Servers[0].Set(ctx, zone, host, "A", "192.0.2.1"))
	must(t, pair.Servers[0].Set(ctx, zone, "*."+host, "A", "192.0.2.1"))
	if r = judged(t, l, host); r.Right || r.Rows[0].Status != dns.Spreading || r.Servers[1].Right || !r.Servers[0].Right {
		t.Fatalf("one server has it: %+v", r)
	}
	must(t, pair.Servers[1].Set(ctx, zone, host, "A", "192.0.2.1"))
	must(t, pair.Servers[1].Set(ctx, zone, "*."+host, "A", "192.0.2.1"))
	if r = judged(t, l, host); !r.Right || len(r.Remarks) != 0 {
		t.Fatalf("both have it: %+v", r)
	}
	must(t, pair.Set(ctx, zone, zone, "CAA", `0 issue "other.example"`))
	if r = judged(t, l, host); r.Right || !slices.Equal(kinds(r), []dns.Kind{dns.Forbids}) {
		t.Fatalf("an authority that is not ours: %+v", r)
	}
	must(t, pair.Set(ctx, zone, zone, "CAA"))
	must(t, pair.Servers[1].Set(ctx, zone, host, "AAAA", "2001:db8::9"))
	if r = judged(t, l, host); r.Right || !slices.Equal(kinds(r), []dns.Kind{dns.Leftover}) {
		t.Fatalf("an old address: %+v", r)
	}
	pair.Servers[1].Stop()
	if r = judged(t, l, host); r.Right || !slices.Equal(kinds(r), []dns.Kind{dns.Silent}) {
		t.Fatalf("a server that does not answer: %+v", r)
	}
}

// TestLookout_Look_ownZone: the domain itself, and one with letters beyond ASCII.
func TestLookout_Look_ownZone(t *testing.T) {
	t.Parallel()
	const zone = "xn--bckerei-n2a.de"
	pair, l := open(t, zone)
	must(t, pair.Set(t.Context(), zone, zone, "A", "192.0.2.1"))
	must(t, pair.Set(t.Context(), zone, "*."+zone, "A", "192.0.2.1"))
	if r := judged(t, l, zone); !r.Right {
		t.Errorf("%+v", r)
	}
}

// TestLookout_Look_overTCP: an answer that does not fit into a packet.
func TestLookout_Look_overTCP(t *testing.T) {
	t.Parallel()
	const zone = "large.example.com"
	pair, l := open(t, zone)
	var many []string
	for i := range 120 {
		many = append(many, fmt.Sprintf("192.0.2.%d", i+1))
	}
	must(t, pair.Set(t.Context(), zone, zone, "A", many...))
	r := judged(t, l, zone)
	if len(r.Rows[0].Found) != len(many)-1 || r.Rows[0].Status != dns.Right || len(r.Servers[0].Holds) != len(many) {
		t.Errorf("%d found, %s", len(r.Rows[0].Found), r.Rows[0].Status)
	}
}

func TestLookout_Look_nobodys(t *testing.T) {
	t.Parallel()
	resolver := answering(t, func(w wire.ResponseWriter, m *wire.Msg) {
		in := new(wire.Msg).SetRcode(m, wire.RcodeNameError)
		_ = w.WriteMsg(in)
	})
	l := &dnslook.Lookout{Resolver: resolver, Private: true, Wait: time.Second}
	if r := judged(t, l, "nobody-has-this.com"); r.Right || !slices.Equal(kinds(r), []dns.Kind{dns.NoZone}) {
		t.Errorf("%+v", r)
	}
}

// TestLookout_Look_private: whoever owns a domain must not make the hub ask inside its own network.
func TestLookout_Look_private(t *testing.T) {
	t.Parallel()
	_, l := open(t, "inside.example.com")
	l.Private = false
	seen, err := l.Look(t.Context(), "inside.example.com", nil)
	must(t, err)
	for _, s := range seen.Servers {
		if s.Trouble != dns.Private || len(s.Answers) != 0 {
			t.Errorf("asked: %+v", s)
		}
	}
	if len(seen.Servers) != 2 {
		t.Errorf("%+v", seen)
	}
}

// TestLookout_Look_notForIt: a server that is named for a zone which it does not have.
func TestLookout_Look_notForIt(t *testing.T) {
	t.Parallel()
	pair, l := open(t, "there.example.com")
	l.Resolver = answering(t, func(w wire.ResponseWriter, m *wire.Msg) {
		in := new(wire.Msg).SetReply(m)
		switch q := m.Question[0]; q.Qtype {
		case wire.TypeNS:
			in.Answer = records(t, q.Name+" 60 IN NS ns1.there.example.com.")
		case wire.TypeA:
			in.Answer = records(t, q.Name+" 60 IN A 127.0.0.1")
		}
		_ = w.WriteMsg(in)
	})
	l.Port = pair.Port
	seen, err := l.Look(t.Context(), "lame.example.org", nil)
	must(t, err)
	if len(seen.Servers) != 1 || seen.Servers[0].Trouble != dns.NotForIt {
		t.Errorf("%+v", seen)
	}
}

func TestLookout_Look_resolverFails(t *testing.T) {
	t.Parallel()
	failing := answering(t, func(w wire.ResponseWriter, m *wire.Msg) {
		_ = w.WriteMsg(new(wire.Msg).SetRcode(m, wire.RcodeServerFailure))
	})
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = silent.Close() }()
	for _, at := range []string{failing, silent.LocalAddr().String()} {
		l := &dnslook.Lookout{Resolver: at, Wait: 50 * time.Millisecond}
		if _, err := l.Look(t.Context(), "bakery.example.com", nil); !errors.Is(err, dnslook.ErrResolver) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func records(t *testing.T, texts ...string) (all []wire.RR) {
	t.Helper()
	for _, text := range texts {
		rr, err := wire.NewRR(text)
		if err != nil {
			t.Error(err)
		}
		all = append(all, rr)
	}
	return all
}

// answering is a resolver that answers what a test says.
func answering(t *testing.T, answer wire.HandlerFunc) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	s := &wire.Server{PacketConn: c, Handler: answer}
	ended := make(chan error, 1)
	go func() { ended <- s.ActivateAndServe() }()
	t.Cleanup(func() {
		_ = c.Close()
		if err := <-ended; err != nil && !strings.Contains(err.Error(), "closed") {
			t.Error(err)
		}
	})
	return c.LocalAddr().String()
}
