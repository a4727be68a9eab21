package netcup_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/provider/vpshost/netcup"
	"gatehouse/app/provider/vpshost/netcup/netcuptest"
	"gatehouse/app/providers"
)

// TestAccess_manyHubs: of hubs that need new access at the same time, one gets it for all. A lasting token that came twice would end the
// connection at netcup.
func TestAccess_manyHubs(t *testing.T) {
	t.Parallel()
	b := newBed(t, 3)
	for round := 1; round <= 3; round++ {
		b.panel.Cut() // all hubs hold access that works no more
		var asking sync.WaitGroup
		for range 8 {
			hub := b.account()
			asking.Go(func() {
				if all, err := hub.Servers(context.WithoutCancel(t.Context())); err != nil || len(all) != 3 {
					t.Errorf("%d machines, %v", len(all), err)
				}
			})
		}
		asking.Wait()
		if n := b.panel.Refreshes(); n != round {
			t.Fatalf("after %d cuts new access was given %d times", round, n)
		}
	}
	if !b.panel.Lasting() {
		t.Error("the connection ended")
	}
}

// TestAccess_renewed: access that ends soon is renewed before it is used, and one that is good is used on.
func TestAccess_renewed(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	hub, now := b.account(), time.Now()
	hub.Now = func() time.Time { return now }
	for _, c := range []struct {
		later time.Duration
		want  int
	}{{0, 1}, {4 * time.Minute, 1}, {45 * time.Second, 2}, {time.Minute, 2}} {
		now = now.Add(c.later)
		_, err := hub.Servers(t.Context())
		must(t, err)
		if n := b.panel.Refreshes(); n != c.want {
			t.Errorf("after another %s new access was given %d times, want %d", c.later, n, c.want)
		}
	}
	for _, c := range []struct {
		later time.Duration
		want  int
	}{{23 * time.Hour, 2}, {2 * time.Hour, 3}, {time.Hour, 3}} {
		now = now.Add(c.later)
		_, err := hub.Renew(t.Context())
		must(t, err)
		if n := b.panel.Refreshes(); n != c.want {
			t.Errorf("unused for another %s: new access was given %d times, want %d", c.later, n, c.want)
		}
	}
}

const tokens = "/realms/scp/protocol/openid-connect/token"

// TestAccess_away: while netcup's sign-in is away the connection stays, and works again afterwards.
func TestAccess_away(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	for _, f := range []netcuptest.Fault{{Status: 500}, {Status: 429, RetryAfter: 1}, {}, {After: true}} {
		b.panel.Cut()
		f.Method, f.Path = http.MethodPost, tokens
		b.panel.Fail(f)
		_, err := b.account().Servers(t.Context())
		if err == nil || errors.Is(err, providers.ErrNotConnected) || strings.Contains(err.Error(), "of-the-test") {
			t.Errorf("%+v: %v", f, err)
		}
		if f.After {
			continue // what was given out is lost, and the old token is worth nothing: nobody can mend that but people
		}
		if _, err := b.account().Servers(t.Context()); err != nil {
			t.Errorf("after %+v: %v", f, err)
		}
	}
}

// TestAccess_givenUp: new access that came when nobody waited for it any more is kept, and so is the first one.
func TestAccess_givenUp(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	closed := func() context.Context {
		ctx, closes := context.WithCancel(t.Context())
		t.Cleanup(closes)
		b.panel.Fail(netcuptest.Fault{Method: http.MethodPost, Path: tokens, Meanwhile: closes})
		return ctx
	}
	if _, err := b.account().Servers(closed()); err == nil {
		t.Error("who went got an answer")
	}
	if _, err := b.account().Servers(t.Context()); err != nil || b.panel.Refreshes() != 1 {
		t.Errorf("the next one: %v, new access was given %d times", err, b.panel.Refreshes())
	}
	now := time.Now()
	s := &providers.Service{Account: b.account(), Links: b.links, Now: func() time.Time { return now }}
	by := audit.Itself
	_, err := s.Connect(t.Context(), by)
	must(t, err)
	b.panel.Approve()
	now = now.Add(time.Minute)
	_, err = s.Poll(closed(), by)
	must(t, err)
	if l, err := b.links.Link(t.Context()); err != nil || l.AccountID != netcuptest.Owner || l.Ask.Code != "" {
		t.Errorf("after a page that was closed: account %d, code %q, %v", l.AccountID, l.Ask.Code, err)
	}
	_, err = b.account().Servers(t.Context())
	must(t, err)
}

// TestOwner_connectedAnew: the number of an account is not kept for another one, to which the hub was connected meanwhile.
func TestOwner_connectedAnew(t *testing.T) {
	t.Parallel()
	b, one := newBed(t, 1), newID()
	b.panel.Fail(netcuptest.Fault{Method: http.MethodGet, Path: "/realms/scp/protocol/openid-connect/userinfo", Meanwhile: b.connect})
	if err := b.host.Allocate(t.Context(), spec(one)); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("connected anew: %v", err)
	}
	if l, err := b.links.Link(t.Context()); err != nil || l.AccountID != 0 || l.Account != "" {
		t.Errorf("kept for the other account: %d %q, %v", l.AccountID, l.Account, err)
	}
	must(t, b.host.Allocate(t.Context(), spec(one)))
	if l, err := b.links.Link(t.Context()); err != nil || l.AccountID != netcuptest.Owner {
		t.Errorf("then: %d, %v", l.AccountID, err)
	}
}

// TestAsk: a code is asked for, and every answer of netcup is told apart.
func TestAsk(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	hub := b.account()
	ask, err := hub.Ask(t.Context())
	if err != nil || ask.Code != "ABCD-EFGH" || !strings.HasPrefix(ask.Page, b.panel.URL) || ask.Every != 5*time.Second ||
		time.Until(ask.Until) < 9*time.Minute {
		t.Fatalf("asked: %+v, %v", ask, err)
	}
	for _, c := range []struct {
		happens func()
		want    providers.Answer
	}{
		{func() {}, providers.NotYet},
		{b.panel.Slow, providers.Slower},
		{b.panel.Deny, providers.No},
		{b.panel.Expire, providers.TooLate},
		{b.panel.Approve, providers.Yes},
		{func() {}, providers.TooLate}, // a code works once
	} {
		c.happens()
		g, got, err := hub.Poll(t.Context(), ask)
		if err != nil || got != c.want || (g.Refresh != "") != (got == providers.Yes) {
			t.Errorf("%q, want %q: %v", got, c.want, err)
		}
		if got == providers.Yes && (g.AccountID != netcuptest.Owner || g.Account != netcuptest.Customer) {
			t.Errorf("granted for account %d %q", g.AccountID, g.Account)
		}
	}
}

// TestAsk_away: netcup is left alone for as long as it asks for, but not for longer than an hour, and the connection comes in the end.
func TestAsk_away(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	now := time.Now()
	s := &providers.Service{Account: b.account(), Links: b.links, Now: func() time.Time { return now }}
	s.Account.(*netcup.Account).Now = s.Now
	_, err := s.Connect(t.Context(), audit.Itself)
	must(t, err)
	for _, c := range []struct {
		fault netcuptest.Fault
		pause time.Duration
	}{
		{netcuptest.Fault{Status: 503}, 5 * time.Second},
		{netcuptest.Fault{Status: 429, RetryAfter: 30}, 30 * time.Second},
		{netcuptest.Fault{}, 5 * time.Second},
		{netcuptest.Fault{Status: 429, RetryAfter: 100_000}, time.Hour},
	} {
		now = now.Add(time.Minute)
		c.fault.Method, c.fault.Path = http.MethodPost, tokens
		b.panel.Fail(c.fault)
		if _, err := s.Poll(t.Context(), audit.Itself); !errors.Is(err, providers.ErrAway) {
			t.Errorf("%+v: %v", c.fault, err)
		}
		l, err := b.links.Link(t.Context())
		if next := l.Ask.Next.Sub(now).Round(time.Second); err != nil || next != c.pause || l.Ask.Device == "" {
			t.Errorf("%+v: asked again after %s, want %s, %v", c.fault, next, c.pause, err)
		}
	}
}

// TestAsk_strangePage: our staff are sent to an encrypted page, or to where the hub asks as well.
func TestAsk_strangePage(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	hub := b.account()
	hub.URL = strings.Replace(b.panel.URL, "127.0.0.1", "localhost", 1)
	if ask, err := hub.Ask(t.Context()); err == nil {
		t.Errorf("sent to %s", ask.Page)
	}
}

// TestLink_sealed: no token stands in the database as it is, and another key opens nothing.
func TestLink_sealed(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	_, err := b.links.Change(t.Context(), func(_ context.Context, l *providers.Link) (*audit.Entry, error) {
		l.Refresh, l.Access, l.Ask.Device, l.At = "lasting secret", "short secret", "device secret", time.Now()
		return nil, nil
	})
	must(t, err)
	var row string
	must(t, b.db.Pool.QueryRow(t.Context(), "SELECT netcup_link::text || encode(refresh_sealed, 'escape') FROM netcup_link").Scan(&row))
	if strings.Contains(row, "secret") {
		t.Errorf("the row is %s", row)
	}
}
