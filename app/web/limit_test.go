package web

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"gatehouse/app/fault"
)

func TestLimits_refill(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l := NewLimits(func() time.Time { return now })
	b := buckets[LimitMail]
	for i := range b.burst {
		if err := l.Take(LimitMail, "a"); err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	err := l.Take(LimitMail, "a")
	if fault.Of(err).Kind != fault.TooMany {
		t.Fatalf("past the burst: %v, want TooMany", err)
	}
	if err := l.Take(LimitMail, "b"); err != nil {
		t.Errorf("another address: %v", err)
	}
	now = now.Add(time.Minute / time.Duration(b.perMinute))
	if err := l.Take(LimitMail, "a"); err != nil {
		t.Errorf("after one token's time: %v", err)
	}
	if err := l.Take(LimitMail, "a"); err == nil {
		t.Error("a refused try must not have cost a token, nor given one")
	}
}

func TestLimits_floodOfAddressesStaysSmall(t *testing.T) {
	t.Parallel()
	l := NewLimits(time.Now)
	for i := range limitKeys + 1000 {
		if err := l.Take(LimitSignIn, strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(l.all); n > limitKeys {
		t.Errorf("%d keys kept, want at most %d", n, limitKeys)
	}
}

func TestEdge_limitIgnoresForgedAddresses(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "POST", Path: "/try", For: Open, Limit: LimitSignIn, Do: answer("ok")})
	refused := 0
	for i := range 100 {
		w := e.do("POST", "/try", header("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i)), header("X-Real-IP", "203.0.113.9"))
		if w.Code == http.StatusTooManyRequests {
			refused++
			if w.Header().Get("Retry-After") == "" {
				t.Fatal("429 without Retry-After")
			}
		}
	}
	if want := 100 - buckets[LimitSignIn].burst; refused < want-2 { // a token or two may come back meanwhile
		t.Errorf("%d of 100 refused, want about %d", refused, want)
	}
}

func TestExtractor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		behind bool
		xff    []string
		want   string
	}{
		"no proxy, forged":             {false, []string{"203.0.113.1"}, "192.0.2.1"},
		"proxy, one hop":               {true, []string{"203.0.113.1"}, "203.0.113.1"},
		"proxy, forged hop in front":   {true, []string{"198.51.100.9, 203.0.113.1"}, "203.0.113.1"},
		"proxy, forged header, theirs": {true, []string{"198.51.100.9", "203.0.113.1"}, "203.0.113.1"},
		"proxy, IPv6":                  {true, []string{"[2001:db8::1]"}, "2001:db8::1"},
		"proxy, rubbish":               {true, []string{"unknown"}, "192.0.2.1"},
		"proxy, none":                  {true, nil, "192.0.2.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), "GET", "/", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.RemoteAddr, r.Header["X-Forwarded-For"] = "192.0.2.1:4000", c.xff
			if got := extractor(c.behind)(r); got != c.want {
				t.Errorf("address %q, want %q", got, c.want)
			}
		})
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	if a, b := Network("2001:db8::1"), Network("2001:db8::ffff:2"); a != b {
		t.Errorf("one /64 counts as two: %s, %s", a, b)
	}
	if a, b := Network("192.0.2.1"), Network("192.0.2.2"); a == b {
		t.Error("two IPv4 addresses count as one")
	}
}

// TestLimits_rates: a rate that our staff set holds from then on, also for addresses that were known before.
func TestLimits_rates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	perMinute := buckets[LimitMail].perMinute
	l := NewLimits(func() time.Time { return now }).with(func(Limit) int { return perMinute })
	took := func(address string) (n int) {
		for l.Take(LimitMail, address) == nil {
			n++
		}
		return n
	}
	if got := took("a"); got != buckets[LimitMail].burst {
		t.Errorf("as it comes: %d at once", got)
	}
	perMinute /= 2
	if got := took("b"); got != buckets[LimitMail].burst/2 {
		t.Errorf("half the rate: %d at once", got)
	}
	if got := took("a"); got != 0 {
		t.Errorf("another rate gave %d tokens", got)
	}
	now = now.Add(time.Minute)
	if got := took("a"); got != perMinute {
		t.Errorf("a minute later: %d", got)
	}
}
