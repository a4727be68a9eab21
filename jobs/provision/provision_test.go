package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/server"
	"gatehouse/jobs/provision"
)

// world is everything that the steps touch, and a ledger of what they did.
type world struct {
	did        []string
	log        []string
	fail       map[string]error
	registered bool
	linked     bool
	wait       time.Duration // until the name is right
	busy       bool          // another worker is at the machine
	revoked    bool
	box        string // that came with the order
	replaces   bool   // the order is one for a server in place of another
	listed     bool   // there the key still counts
}

func (w *world) do(what string) error {
	w.did = append(w.did, what)
	return w.fail[what]
}

func (w *world) Add(context.Context, account.CustomerID, string, string, string) (server.Server, error) {
	return server.Server{ID: "s1", Provider: "fake"}, w.do("add")
}

func (w *world) Get(context.Context, account.CustomerID, server.ID) (server.Server, error) {
	s := server.Server{ID: "s1", Provider: "fake"}
	if w.registered {
		s.RegisteredAt = time.Now()
	}
	return s, w.fail["get"]
}

func (w *world) OfOrder(context.Context, string) (server.Server, error) {
	s := server.Server{ID: "s1", Provider: "fake"}
	if w.revoked {
		s.RevokedAt = time.Now()
	}
	return s, w.fail["of-order"]
}

func (w *world) Mint(context.Context, server.ID) (string, error) { return "one-time", w.do("mint") }

func (w *world) Remove(context.Context, account.CustomerID, server.ID) error { return w.do("remove") }
func (w *world) Name() string                                                { return "fake" }

func (w *world) Allocate(_ context.Context, s vpshost.Spec) error {
	return w.do("allocate " + s.ServerID)
}

func (w *world) MoveTo(_ context.Context, id server.ID, provider string) error {
	return w.do(fmt.Sprintf("move %s to %s", id, provider))
}

func (w *world) User(context.Context, account.CustomerID, account.UserID) (account.User, error) {
	return account.User{Email: "owner@example.com"}, w.fail["user"]
}

func (w *world) KeyListed(_ context.Context, id order.ID) (bool, error) {
	return w.listed && id == "o0", w.fail["keys"]
}

func (w *world) Install(_ context.Context, s vpshost.Setup) error {
	return w.do(strings.TrimSpace(fmt.Sprintf("install %q %s", s.Token, s.Seed)))
}

func (w *world) Finish(_ context.Context, s vpshost.Setup) error {
	if s.Token != "" || s.Seed != "" {
		return errors.New("what was handed over is handed over again")
	}
	return w.do("finish")
}

func (w *world) LastLog(context.Context, string, int) ([]string, error) {
	return []string{"no disk left"}, nil
}
func (w *world) Release(context.Context, string) error { return w.do("release") }
func (w *world) Retire(context.Context, string) error  { return w.do("retire") }
func (w *world) Linked(context.Context, string) bool   { return w.linked }
func (w *world) Cut(string) error                      { return w.do("cut") }

func (w *world) Busy(context.Context, string) (bool, error) { return w.busy, w.fail["busy"] }

func (w *world) Revoke(context.Context, account.CustomerID, server.ID, audit.Actor) error {
	return w.do("revoke")
}

func (w *world) Settle(_ context.Context, _ order.Order, at []netip.Addr, log func(...string)) (time.Duration, error) {
	log("found")
	return w.wait, w.do(fmt.Sprintf("settle at %v", at))
}

func (w *world) Host(o order.Order) string                 { return o.Slug + ".example.net" }
func (w *world) Forget(context.Context, order.Order) error { return w.do("forget") }

func (w *world) Addresses(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, w.fail["addresses"]
}

func (w *world) step(ctx context.Context, s order.State) (provision.Done, error) {
	r := &provision.Runner{
		Servers: w, Hosts: map[string]vpshost.Host{"fake": w}, Default: "fake", DNS: w, Links: w, Setups: w, People: w,
		Wait: 120 * time.Millisecond,
	}
	o := order.Order{ID: "o1", State: s, ServerID: "s1", Slug: "bakery"}
	return r.Do(ctx, o, func(_ context.Context, lines ...string) { w.log = append(w.log, lines...) })
}

func TestRunner_Do_whatEachStateDoes(t *testing.T) {
	t.Parallel()
	for state, did := range map[order.State][]string{
		order.PaymentConfirmed: nil,
		order.AwaitingServer:   {"add", "allocate s1"},
		order.ServerReady:      nil,
		order.DNSPending:       {"settle at [192.0.2.1]"},
		order.DNSReady:         nil,
		order.Provisioning:     {`install ""`, "finish"}, // it has registered before
		order.Cancelled:        {"forget", "release", "remove"},
		order.Stopping:         {"revoke", "cut", "forget", "retire"},
		order.Releasing:        {"revoke", "cut", "forget", "retire"},
	} {
		w := &world{registered: true, linked: true}
		done, err := w.step(t.Context(), state)
		if err != nil || !slices.Equal(w.did, did) || (done.Text == "" && state.Live()) {
			t.Errorf("%s: did %q, %+v, %v", state, w.did, done, err)
		}
	}
}

// TestRunner_Do_givesBack: a machine is left alone while a worker is at it, a repeat goes on where the last try was cut off, and
// what a worker started on a machine that was given back meanwhile is ended too.
func TestRunner_Do_givesBack(t *testing.T) {
	t.Parallel()
	away, gone := errors.New("away"), fault.New(fault.NotFound, "not-found", "no such server", "There is no such server.")
	for name, c := range map[string]struct {
		state order.State
		w     *world
		did   []string
		err   error
	}{
		"a worker is at it":  {order.Stopping, &world{busy: true}, nil, provision.ErrBusy},
		"cut off in between": {order.Stopping, &world{revoked: true}, []string{"cut", "forget", "retire"}, nil},
		"cancelled while a machine is made": {
			order.AwaitingServer, &world{fail: map[string]error{"of-order": gone}},
			[]string{"add", "allocate s1", "release"},
			order.ErrStale,
		},
		"cancelled while a machine is half made": {
			order.AwaitingServer, &world{fail: map[string]error{"of-order": gone, "allocate s1": away}},
			[]string{"add", "allocate s1", "release"},
			order.ErrStale,
		},
		"a late worker":      {order.Cancelled, &world{revoked: true}, []string{"forget", "retire"}, nil},
		"the record is away": {order.Releasing, &world{fail: map[string]error{"busy": away}}, nil, away},
		"the provider is away": {
			order.Releasing, &world{fail: map[string]error{"retire": away}}, []string{"revoke", "cut", "forget", "retire"}, away,
		},
		"its records cannot go": {
			order.Releasing, &world{fail: map[string]error{"forget": away}}, []string{"revoke", "cut", "forget"}, away,
		},
		"no server is left": {order.Releasing, &world{fail: map[string]error{"of-order": gone}}, []string{"forget"}, nil},
	} {
		_, err := c.w.step(t.Context(), c.state)
		if !slices.Equal(c.w.did, c.did) || !errors.Is(err, c.err) {
			t.Errorf("%s: did %q, %v", name, c.w.did, err)
		}
	}
}

func TestRunner_Do_final(t *testing.T) {
	t.Parallel()
	refused := &vpshost.RefusedError{Reason: "Full."}
	away := errors.New("away")
	for _, c := range []struct {
		situation string
		state     order.State
		w         *world
		reason    string // of the final error; empty: to be tried again
	}{
		{"no room", order.AwaitingServer, &world{fail: map[string]error{"allocate s1": refused}}, "Full."},
		{"provider away", order.AwaitingServer, &world{fail: map[string]error{"allocate s1": away}}, ""},
		{"name refused", order.DNSPending, &world{fail: map[string]error{"settle at [192.0.2.1]": refused}}, "Full."},
		{"name is not right yet", order.DNSPending, &world{wait: time.Minute}, ""},
		{"nobody knows where the server stands", order.DNSPending, &world{fail: map[string]error{"addresses": away}}, ""},
		{"database away", order.Provisioning, &world{fail: map[string]error{"get": away}}, ""},
		{"never registers", order.Provisioning, &world{}, "did not register within 120ms"},
		{"never links", order.Provisioning, &world{registered: true}, "did not open its link within 120ms"},
		{"nothing to do", order.Fulfilled, &world{}, "nothing to do"},
	} {
		t.Run(c.situation, func(t *testing.T) {
			t.Parallel()
			_, err := c.w.step(t.Context(), c.state)
			var final *order.FinalError
			if err == nil || errors.As(err, &final) != (c.reason != "") || (final != nil && !strings.Contains(final.Reason, c.reason)) {
				t.Errorf("error %v, want final %q", err, c.reason)
			}
		})
	}
}

func TestRunner_Do_lastWordsOfAgentd(t *testing.T) {
	t.Parallel()
	w := &world{}
	if _, err := w.step(t.Context(), order.Provisioning); err == nil || !slices.Contains(w.log, "no disk left") {
		t.Errorf("log %q, %v", w.log, err)
	}
	if !slices.Equal(w.did, []string{"mint", `install "one-time"`}) {
		t.Errorf("did %q", w.did)
	}
}

// named is a place that can have addresses lead back to names.
type named struct{ *world }

func (n named) SetName(_ context.Context, id, name string) error {
	return n.do("name " + id + " " + name)
}

// TestRunner_Do_name: where the place can, the machine's address leads back to the server's name before the server is called ready; a
// refusal is said.
func TestRunner_Do_name(t *testing.T) {
	t.Parallel()
	o := order.Order{ID: "o1", State: order.Provisioning, ServerID: "s1", Slug: "bakery"}
	for _, fails := range []error{nil, errors.New("no such address")} {
		w := &world{registered: true, linked: true, fail: map[string]error{"name s1 bakery.example.net": fails}}
		r := &provision.Runner{
			Servers: w, Hosts: map[string]vpshost.Host{"fake": named{w}}, Default: "fake", DNS: w, Links: w, Setups: w, People: w,
			Wait: time.Minute,
		}
		_, err := r.Do(t.Context(), o, func(context.Context, ...string) {})
		want := []string{`install ""`, "name s1 bakery.example.net", "finish"}
		if fails != nil {
			want = want[:2]
		}
		if !errors.Is(err, fails) || !slices.Equal(w.did, want) {
			t.Errorf("did %q, %v", w.did, err)
		}
	}
}

// TestRunner_Do_hubStops shows that a wait which the hub's own end cuts off is no failure of the server.
func TestRunner_Do_hubStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := (&world{}).step(ctx, order.Provisioning)
	var final *order.FinalError
	if err == nil || errors.As(err, &final) {
		t.Errorf("error %v", err)
	}
}

// TestRunner_Do_firstKey: the key of the browser that ordered is left before agentd starts, and only for a server that has
// not registered.
func TestRunner_Do_firstKey(t *testing.T) {
	t.Parallel()
	_, boxKey, err := wire.NewSecretKey()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(wire.BoxKey{Key: boxKey, Signature: wire.Signature{KeyID: wire.ApproverKeyIDOf("public half"), Sig: "AA"}})
	if err != nil {
		t.Fatal(err)
	}
	boxText := string(raw)
	const left = `install "one-time" {"spki":"public half","kind":"browser","label":"Browser that ordered","address":"owner@example.com"}`
	const bare = `install "one-time"`
	gone := fault.New(fault.NotFound, "none", "nobody", "Nobody.")
	for name, c := range map[string]struct {
		w   *world
		did []string
	}{
		"the first time": {&world{linked: true}, []string{"mint", left}},
		"registered":     {&world{linked: true, registered: true}, []string{`install ""`, "finish"}},
		"the person was removed": {
			&world{linked: true, fail: map[string]error{"user": gone}}, []string{"mint", bare},
		},
		"replaced, with the key":    {&world{linked: true, replaces: true, listed: true}, []string{"mint", left}},
		"replaced, the key is gone": {&world{linked: true, replaces: true}, []string{"mint", bare}},
		"replaced, nobody knows it": {
			&world{linked: true, replaces: true, listed: true, fail: map[string]error{"keys": errors.New("away")}}, []string{"mint"},
		},
		"nobody is known": {&world{fail: map[string]error{"user": errors.New("away")}}, []string{"mint"}},
		"a code for the browser": {&world{linked: true, box: boxText}, []string{
			"mint",
			`install "one-time" {"spki":"public half","kind":"browser",` +
				`"label":"Browser that ordered","address":"owner@example.com","box":` + boxText + `}`,
		}},
		"a key that is none": {&world{box: "{}"}, []string{"mint"}},
		"no room":            {&world{fail: map[string]error{left: errors.New("full")}}, []string{"mint", left}},
	} {
		r := &provision.Runner{
			Servers: c.w, Hosts: map[string]vpshost.Host{"fake": c.w}, Default: "fake", DNS: c.w, Links: c.w, Setups: c.w,
			People: c.w, Keys: c.w, Wait: 10 * time.Millisecond,
		}
		o := order.Order{ID: "o1", State: order.Provisioning, ServerID: "s1", ApproverKey: "public half", ApproverBox: c.w.box}
		if c.w.replaces {
			o.Replaces = "o0"
		}
		_, err := r.Do(t.Context(), o, func(context.Context, ...string) {})
		if !slices.Equal(c.w.did, c.did) || (err == nil) != c.w.registered {
			t.Errorf("%s: did %q, %v", name, c.w.did, err)
		}
	}
}
