package dnshost_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	wire "github.com/miekg/dns"

	"gatehouse/app/dns"
	"gatehouse/app/provider/dnshost"
	"gatehouse/app/provider/dnshost/dnstest"
)

// zone is ours; absent is nobody's.
const zone, absent = "hosted.example.net", "absent.example.org"

// side is one provider with a server behind it.
type side struct {
	url  string // of its API
	key  string
	make func(url, key string) (dnshost.Provider, error)
	put  func(t *testing.T, name, kind, value string) // past the hub
	all  func(t *testing.T, names ...string) []string // NAME TYPE VALUE of those names, as the server itself has them
}

func cloudflare(t *testing.T) side {
	t.Helper()
	c := dnstest.NewCloudflare(zone, "another.example.org")
	t.Cleanup(c.Close)
	return side{
		url: c.URL + "/client/v4", key: dnstest.Token,
		make: func(u, key string) (dnshost.Provider, error) { return dnshost.NewCloudflare(u, key) },
		put:  func(_ *testing.T, name, kind, value string) { c.Put(zone, name, kind, value) },
		all: func(_ *testing.T, names ...string) []string {
			return slices.DeleteFunc(c.All(zone), func(r string) bool {
				name, _, _ := strings.Cut(r, " ")
				return !slices.Contains(names, name)
			})
		},
	}
}

func powerDNS(t *testing.T) side {
	t.Helper()
	pair, err := dnstest.StartPair(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pair.Stop)
	must(t, pair.AddZone(t.Context(), zone))
	first := pair.Servers[0]
	return side{
		url: first.API, key: dnstest.Key,
		make: func(u, key string) (dnshost.Provider, error) { return dnshost.NewPowerDNS(u, key) },
		put: func(t *testing.T, name, kind, value string) {
			t.Helper()
			must(t, first.Set(t.Context(), zone, name, kind, value))
		},
		all: func(t *testing.T, names ...string) []string {
			t.Helper()
			return transfer(t, pair.Resolver(), names)
		},
	}
}

// transfer asks the server for each name by itself, in the protocol that the world asks in.
func transfer(t *testing.T, at string, names []string) (all []string) {
	t.Helper()
	for _, name := range names {
		for _, kind := range []uint16{wire.TypeA, wire.TypeAAAA, wire.TypeCNAME} {
			m := new(wire.Msg)
			m.SetQuestion(name+".", kind)
			in, err := wire.ExchangeContext(t.Context(), m, at)
			must(t, err)
			for _, rr := range in.Answer {
				if rr.Header().Rrtype == kind {
					value := strings.TrimSuffix(rr.String()[strings.LastIndexByte(rr.String(), '\t')+1:], ".")
					all = append(all, name+" "+wire.TypeToString[kind]+" "+value)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// book is what a hub remembers.
type book struct {
	mu  sync.Mutex
	all map[string][]dns.Record
}

func key(order, provider, zone string) string { return order + "/" + provider + "/" + zone }

func (b *book) Ours(_ context.Context, order, provider, zone string) ([]dns.Record, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.all[key(order, provider, zone)]), nil
}

func (b *book) Enter(_ context.Context, order, provider, zone string, r dns.Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[string][]dns.Record{}
	}
	k := key(order, provider, zone)
	if !slices.Contains(b.all[k], r) {
		b.all[k] = append(b.all[k], r)
	}
	return nil
}

func (b *book) Strike(_ context.Context, order, provider, zone string, r dns.Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := key(order, provider, zone)
	b.all[k] = slices.DeleteFunc(b.all[k], func(o dns.Record) bool { return o == r })
	return nil
}

func (s side) host(t *testing.T, url, secret string) *dnshost.Host {
	t.Helper()
	p, err := s.make(url, secret)
	must(t, err)
	return &dnshost.Host{Provider: p, Zone: zone, Book: &book{}}
}

// wanted is what a server at address needs under slug.
func wanted(slug string, addresses ...string) (host string, want []dns.Record) {
	var at []netip.Addr
	for _, a := range addresses {
		at = append(at, netip.MustParseAddr(a))
	}
	host = slug + "." + zone
	return host, dns.Wanted(host, at)
}

// TestProviders: every provider does the same with what happens in the life of a name.
func TestProviders(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) side{"cloudflare": cloudflare, "powerdns": powerDNS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			for situation, check := range map[string]func(*testing.T, side){
				"made once": madeOnce, "address changes": addressChanges, "others' records stay": othersStay, "many": manyUnderOne,
				"alias in the way": aliasInTheWay, "token refused": tokenRefused, "zone unknown": zoneUnknown, "answer lost": answerLost,
				"refusals": refusals,
			} {
				t.Run(situation, func(t *testing.T) { check(t, s) })
			}
		})
	}
}

func madeOnce(t *testing.T, s side) {
	h := s.host(t, s.url, s.key)
	host, want := wanted("once", "192.0.2.1", "2001:db8::1")
	for n, made := range []int{4, 0, 0} {
		got, err := h.Ensure(t.Context(), "o1", host, want)
		if err != nil || len(got) != made {
			t.Fatalf("time %d: made %v, %v", n+1, got, err)
		}
	}
	have := s.all(t, host, dns.Star(host))
	if len(have) != 4 || have[0] != "*."+host+" A 192.0.2.1" || have[3] != host+" AAAA 2001:db8::1" {
		t.Errorf("there is %q", have)
	}
	must(t, h.Release(t.Context(), "o1"))
	must(t, h.Release(t.Context(), "o1"))
	if have := s.all(t, host, dns.Star(host)); len(have) != 0 {
		t.Errorf("left behind: %q", have)
	}
}

func addressChanges(t *testing.T, s side) {
	h := s.host(t, s.url, s.key)
	host, want := wanted("moves", "192.0.2.1")
	_, err := h.Ensure(t.Context(), "o1", host, want)
	must(t, err)
	_, want = wanted("moves", "192.0.2.2")
	_, err = h.Ensure(t.Context(), "o1", host, want)
	must(t, err)
	if have := s.all(t, host); !slices.Equal(have, []string{host + " A 192.0.2.2"}) {
		t.Errorf("there is %q", have)
	}
}

func othersStay(t *testing.T, s side) {
	h := s.host(t, s.url, s.key)
	host, want := wanted("shared", "192.0.2.1")
	s.put(t, host, "A", "203.0.113.9")            // with the same name
	s.put(t, dns.Star(host), "A", "192.0.2.1")    // the same as one that is wanted
	s.put(t, "x-shared."+zone, "A", "192.0.2.77") // whose name ends alike
	made, err := h.Ensure(t.Context(), "o1", host, want)
	if err != nil || len(made) != 1 {
		t.Fatalf("made %v, %v", made, err)
	}
	if have := s.all(t, host); len(have) != 2 {
		t.Errorf("there is %q", have)
	}
	must(t, h.Release(t.Context(), "o1"))
	left := s.all(t, host, dns.Star(host), "x-shared."+zone)
	if len(left) != 3 || slices.Contains(left, host+" A 192.0.2.1") {
		t.Errorf("left is %q", left)
	}
}

// manyUnderOne has more records below a name than a page of a list holds.
func manyUnderOne(t *testing.T, s side) {
	h := s.host(t, s.url, s.key)
	host, want := wanted("many", "192.0.2.1")
	for i := range 8 {
		s.put(t, "t"+strconv.Itoa(i)+"."+host, "A", "192.0.2.8")
	}
	for range 2 {
		_, err := h.Ensure(t.Context(), "o1", host, want)
		must(t, err)
	}
	if have := s.all(t, host, dns.Star(host)); len(have) != 2 {
		t.Errorf("there is %q", have)
	}
}

func aliasInTheWay(t *testing.T, s side) {
	h := s.host(t, s.url, s.key)
	host, want := wanted("alias", "192.0.2.1")
	s.put(t, host, "CNAME", "old.example.org")
	if k := kindOf(ensure(t, h, host, want)); k != dnshost.InTheWay {
		t.Errorf("kind %q", k)
	}
	must(t, h.Release(t.Context(), "o1"))
	if have := s.all(t, host); !slices.Contains(have, host+" CNAME old.example.org") {
		t.Errorf("it is gone: %q", have)
	}
}

func tokenRefused(t *testing.T, s side) {
	const secret = "not-the-right-token"
	host, want := wanted("refused", "192.0.2.1")
	err := ensure(t, s.host(t, s.url, secret), host, want)
	if kindOf(err) != dnshost.Access || !errors.As(err, new(*dnshost.Error)) {
		t.Fatalf("answered %v", err)
	}
	if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), s.url) {
		t.Errorf("the error tells too much: %v", err)
	}
}

func zoneUnknown(t *testing.T, s side) {
	h := s.host(t, s.url, s.key)
	h.Zone = absent
	host, want := "x."+absent, dns.Wanted("x."+absent, []netip.Addr{netip.MustParseAddr("192.0.2.1")})
	if err := ensure(t, h, host, want); kindOf(err) != dnshost.Zone {
		t.Errorf("answered %v", err)
	}
}

// answerLost: the provider makes the record, and its answer never comes. It is found again, not made twice.
func answerLost(t *testing.T, s side) {
	target, err := url.Parse(s.url)
	must(t, err)
	cut := true
	relay := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	relay.ModifyResponse = func(r *http.Response) error {
		if cut && (r.Request.Method == http.MethodPost || r.Request.Method == http.MethodPatch) {
			cut = false
			return errors.New("cut")
		}
		return nil
	}
	relay.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	front := httptest.NewServer(relay)
	defer front.Close()
	h := s.host(t, front.URL+target.Path, s.key)
	host, want := wanted("lost", "192.0.2.1")
	if k := kindOf(ensure(t, h, host, want)); k != dnshost.Away {
		t.Fatalf("kind %q", k)
	}
	_, err = h.Ensure(t.Context(), "o1", host, want)
	must(t, err)
	if have := s.all(t, host, dns.Star(host)); len(have) != 2 {
		t.Errorf("there is %q", have)
	}
	must(t, h.Release(t.Context(), "o1"))
	if have := s.all(t, host, dns.Star(host)); len(have) != 0 {
		t.Errorf("left behind: %q", have)
	}
}

// refusals are what a provider may answer instead.
func refusals(t *testing.T, s side) {
	var status int
	var body string
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status == 0 {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer front.Close()
	target, err := url.Parse(s.url)
	must(t, err)
	h := s.host(t, front.URL+target.Path, s.key)
	host, want := wanted("busy", "192.0.2.1")
	for _, c := range []struct {
		status int
		body   string
		kind   dnshost.Kind
	}{
		{429, `{"success":false,"errors":[{"code":971,"message":"Please wait and consider throttling your request speed"}]}`, dnshost.Busy},
		{429, `slow down`, dnshost.Busy},
		{500, `{"error":"Internal Server Error"}`, dnshost.Away},
		{502, `<html>bad gateway</html>`, dnshost.Away},
		{401, `Unauthorized`, dnshost.Access},
		{200, `<html>sign in to this network</html>`, dnshost.Away},
		{0, ``, dnshost.Away},
	} {
		status, body = c.status, c.body
		ctx, cancel := context.WithCancel(t.Context())
		if status == 0 {
			ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
		}
		_, err := h.Ensure(ctx, "o1", host, want)
		cancel()
		if kindOf(err) != c.kind {
			t.Errorf("HTTP %d %s: %v", c.status, c.body, err)
		}
		var e *dnshost.Error
		if errors.As(err, &e) && e.Final() != (c.kind == dnshost.Access) {
			t.Errorf("HTTP %d: final is %v", c.status, e.Final())
		}
	}
}

func ensure(t *testing.T, h *dnshost.Host, host string, want []dns.Record) error {
	t.Helper()
	_, err := h.Ensure(t.Context(), "o1", host, want)
	return err
}

func kindOf(err error) dnshost.Kind {
	var e *dnshost.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
