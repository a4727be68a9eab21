package netcup_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/crypto/ssh"

	"gatehouse/app/audit"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/netcup"
	"gatehouse/app/provider/vpshost/netcup/netcuptest"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/provider/vpshost/vpshosttest"
	"gatehouse/app/providers"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var seed = bytes.Repeat([]byte{7}, 32)

// bed is a hub that is connected to an account, with all of its machines adopted.
type bed struct {
	t        *testing.T
	panel    *netcuptest.Panel
	host     *netcup.Host
	links    *db.NetcupLink
	machines *db.Adopted
	db       *db.DB
}

// newBed: of several machines, the first ones are in region eu and the last is in region na, kept for plan "scale".
func newBed(t *testing.T, machines int) *bed {
	t.Helper()
	d := dbtest.New(t)
	keys, err := db.NewKeyring(seed)
	must(t, err)
	b := &bed{t: t, panel: netcuptest.New(t, machines), links: &db.NetcupLink{DB: d, Keys: keys}, machines: &db.Adopted{DB: d}, db: d}
	login, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed))
	must(t, err)
	b.host = netcup.New(netcup.Options{
		Account: b.account(), Machines: b.machines, KeySeed: seed, Boot: time.Minute,
		Site: &setup.Site{Runner: &setup.Runner{Key: login}, Setups: &db.Setups{DB: d, Now: time.Now}},
	})
	b.connect()
	for _, s := range b.panel.Servers() {
		m := providers.Machine{ID: s.ID, Name: s.Name, Product: s.Product, Region: "eu", Address: s.Address, AdoptedAt: time.Now().UTC()}
		m.Move(providers.Free, time.Now())
		must(t, b.machines.Adopt(t.Context(), m, entry(t)))
	}
	return b
}

// account is one more hub's way in.
func (b *bed) account() *netcup.Account {
	return &netcup.Account{URL: b.panel.URL, Links: b.links, Now: time.Now}
}

func (b *bed) connect() {
	b.t.Helper()
	refresh := b.panel.Grant()
	_, err := b.links.Change(b.t.Context(), func(_ context.Context, l *providers.Link) (*audit.Entry, error) {
		l.Refresh, l.At = refresh, time.Now().UTC()
		return nil, nil
	})
	must(b.t, err)
}

func entry(t *testing.T) audit.Entry {
	t.Helper()
	return audit.Entry{ID: newID(), At: time.Now().UTC(), By: audit.Itself, Action: "netcup.adopt"}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bed) states() map[providers.State]int {
	b.t.Helper()
	all, err := b.machines.List(b.t.Context())
	must(b.t, err)
	n := map[providers.State]int{}
	for _, m := range all {
		n[m.State]++
	}
	return n
}

// wiped goes on with what was given back until nothing is left of it.
func (b *bed) wiped() {
	b.t.Helper()
	for range 20 {
		if b.states()[providers.Wiping] == 0 {
			return
		}
		_, err := b.host.Wipe(b.t.Context())
		must(b.t, err)
	}
	b.t.Fatalf("wiping never ends: %v", b.states())
}

func spec(id string) vpshost.Spec {
	return vpshost.Spec{ServerID: id, Slug: "bakery", Plan: "build", Region: "eu"}
}

func TestContract(t *testing.T) {
	t.Parallel()
	b := newBed(t, 2)
	vpshosttest.Contract(t, b.host, func() int {
		b.wiped()
		return b.states()[providers.Taken]
	})
}

// TestAllocate: a free machine gets a system once, with the hub's key and the host key that is expected of it, and is wiped before it
// is free again.
func TestAllocate(t *testing.T) {
	t.Parallel()
	b, one := newBed(t, 1), newID()
	for range 2 {
		must(t, b.host.Allocate(t.Context(), spec(one)))
	}
	all := b.panel.Installs()
	if len(all) != 1 {
		t.Fatalf("%d systems were put on: %+v", len(all), all)
	}
	in := all[0]
	if in.Flavour != 101 || in.Passwords == nil || *in.Passwords || !in.WholeDisk || in.Hostname != "gatehouse-"+one {
		t.Errorf("asked for %+v", in)
	}
	m, err := b.machines.OfServer(t.Context(), one)
	public := strings.Fields(m.HostKey)
	if err != nil || len(public) != 2 || !strings.Contains(in.Script, "printf '%s\\n' '"+m.HostKey+"'") {
		t.Fatalf("kept %+v, %v; the script is %q", m, err, in.Script)
	}
	if private := given(t, in.Script); private != m.HostKey {
		t.Errorf("the script's key is %s, and %s is expected", private, m.HostKey)
	}
	var refused *vpshost.RefusedError
	err = b.host.Allocate(t.Context(), spec(newID()))
	if !errors.As(err, &refused) || !strings.Contains(refused.Reason, "adopt it") {
		t.Errorf("a second order gets %v", err)
	}
	must(t, b.host.Release(t.Context(), one))
	if n := b.states(); n[providers.Wiping] != 1 {
		t.Fatalf("given back: %v", n)
	}
	b.wiped()
	all = b.panel.Installs()
	if len(all) != 2 || all[1].Script != "" || b.states()[providers.Free] != 1 {
		t.Errorf("wiped with %+v, now %v", all[1:], b.states())
	}
}

// given is the public half of the key that a script brings.
func given(t *testing.T, script string) string {
	t.Helper()
	_, rest, _ := strings.Cut(script, "<<'KEY'\n")
	text, _, found := strings.Cut(rest, "KEY\n")
	signer, err := ssh.ParsePrivateKey([]byte(text))
	if err != nil || !found {
		t.Fatalf("the script brings no key: %v", err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

// TestAllocate_nothingBegun: a machine that only was reserved is free at once.
func TestAllocate_nothingBegun(t *testing.T) {
	t.Parallel()
	b, one := newBed(t, 1), newID()
	b.panel.Fail(netcuptest.Fault{Method: http.MethodGet, Path: "/tasks", Status: 403, Code: "forbidden"})
	if err := b.host.Allocate(t.Context(), spec(one)); err == nil {
		t.Fatal("allocated")
	}
	must(t, b.host.Release(t.Context(), one))
	if n := b.states(); n[providers.Free] != 1 || len(b.panel.Installs()) != 0 {
		t.Errorf("%v, %+v", n, b.panel.Installs())
	}
}

// TestAllocate_badAnswers: whatever the API answers, a system is put on once, and a later try ends well or says what to do.
func TestAllocate_badAnswers(t *testing.T) {
	t.Parallel()
	post := func(f netcuptest.Fault) []netcuptest.Fault {
		f.Method, f.Path = http.MethodPost, "/servers/"
		return []netcuptest.Fault{f}
	}
	get := func(f netcuptest.Fault) []netcuptest.Fault {
		f.Method, f.Path = http.MethodGet, "/servers/"
		return []netcuptest.Fault{f}
	}
	for situation, c := range map[string]struct {
		faults  []netcuptest.Fault
		refused string // what to do; empty: the same or a later try ends well
		tries   int
	}{
		"begun, and the answer lost":      {post(netcuptest.Fault{After: true}), "", 2},
		"begun, and the answer an error":  {post(netcuptest.Fault{After: true, Status: 500, Code: "server_error"}), "", 2},
		"begun, and the gateway too slow": {post(netcuptest.Fault{After: true, Status: 504, Code: "gateway_timeout"}), "", 2},
		"not begun, and the line cut":     {post(netcuptest.Fault{}), "", 2},
		"too many requests":               {post(netcuptest.Fault{Status: 429, Code: "too_many_requests", RetryAfter: 1}), "", 1},
		"far too many requests":           {post(netcuptest.Fault{Status: 429, Code: "too_many_requests", RetryAfter: 3600}), "", 2},
		"too many requests, reading":      {get(netcuptest.Fault{Status: 429, Code: "too_many_requests", RetryAfter: 1}), "", 1},
		"a bad gateway, reading":          {get(netcuptest.Fault{Status: 502, Code: "bad_gateway"}), "", 1},
		"the line cut, reading":           {get(netcuptest.Fault{}), "", 1},
		"maintenance":                     {post(netcuptest.Fault{Status: 503, Code: "maintenance"}), "", 2},
		"address not allowed":             {get(netcuptest.Fault{Status: 403, Code: "forbidden"}), "address of this hub", 1},
		"gone":                            {get(netcuptest.Fault{Status: 404, Code: "server_not_found"}), "no such machine", 1},
		"not accepted":                    {post(netcuptest.Fault{Status: 422, Code: "validation_error"}), "validation error", 1},
	} {
		t.Run(situation, func(t *testing.T) {
			t.Parallel()
			b, one := newBed(t, 1), newID()
			b.panel.Fail(c.faults...)
			var err error
			for range c.tries {
				err = b.host.Allocate(t.Context(), spec(one))
			}
			var refused *vpshost.RefusedError
			if errors.As(err, &refused) != (c.refused != "") || err == nil != (c.refused == "") {
				t.Fatalf("after %d tries: %v", c.tries, err)
			}
			if refused != nil && !strings.Contains(refused.Reason, c.refused) {
				t.Errorf("says %q", refused.Reason)
			}
			if err := b.host.Allocate(t.Context(), spec(one)); err != nil || len(b.panel.Installs()) != 1 {
				t.Errorf("at the end: %v, %d systems put on", err, len(b.panel.Installs()))
			}
			if err != nil && strings.Contains(err.Error(), "of-the-test") {
				t.Errorf("a token stands in %q", err)
			}
		})
	}
}

// TestAllocate_accessEnds: new access that is needed while a machine is locked is not undone with what fails there. The old lasting token
// is worth nothing from then on.
func TestAllocate_accessEnds(t *testing.T) {
	t.Parallel()
	b, one := newBed(t, 1), newID()
	b.panel.Fail(netcuptest.Fault{Method: http.MethodPost, Path: "/users/", Meanwhile: b.panel.Cut},
		netcuptest.Fault{Method: http.MethodPost, Path: "/servers/"})
	if err := b.host.Allocate(t.Context(), spec(one)); err == nil {
		t.Fatal("allocated, and the line was cut")
	}
	b.panel.Cut()
	if err := b.host.Allocate(t.Context(), spec(one)); err != nil || len(b.panel.Installs()) != 1 {
		t.Errorf("then: %v, %d systems put on", err, len(b.panel.Installs()))
	}
	if !b.panel.Lasting() {
		t.Error("the connection ended")
	}
}

// TestInstall_failed: a system that netcup cannot finish is a refusal, is said at the machine, and the next try begins it anew.
func TestInstall_failed(t *testing.T) {
	t.Parallel()
	b, one := newBed(t, 1), newID()
	b.panel.Fail(netcuptest.Fault{Method: http.MethodPost, Path: "/servers/", Task: true})
	must(t, b.host.Allocate(t.Context(), spec(one)))
	var refused *vpshost.RefusedError
	err := b.host.Install(t.Context(), vpshost.Setup{ServerID: one, Say: func(...string) {}})
	if !errors.As(err, &refused) || !strings.Contains(refused.Reason, "image cannot be written") {
		t.Fatalf("install: %v", err)
	}
	if m, err := b.machines.OfServer(t.Context(), one); err != nil || m.Task != "" || m.Problem != refused.Reason {
		t.Errorf("kept %+v, %v", m, err)
	}
	must(t, b.host.Allocate(t.Context(), spec(one)))
	if n := len(b.panel.Installs()); n != 2 {
		t.Errorf("%d systems were asked for", n)
	}
}

// TestWipe_failed: what cannot be wiped is nobody's until somebody looked at it.
func TestWipe_failed(t *testing.T) {
	t.Parallel()
	b, one := newBed(t, 1), newID()
	must(t, b.host.Allocate(t.Context(), spec(one)))
	must(t, b.host.Retire(t.Context(), one))
	for b.states()[providers.Wiping] == 1 && len(b.panel.Installs()) == 1 { // until the first task is over
		b.panel.Fail(netcuptest.Fault{Method: http.MethodPost, Path: "/servers/", Task: true})
		_, err := b.host.Wipe(t.Context())
		must(t, err)
	}
	b.wiped()
	all, err := b.machines.List(t.Context())
	if err != nil || all[0].State != providers.NeedsHands || !strings.Contains(all[0].Problem, "image cannot be written") {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := b.host.Allocate(t.Context(), spec(newID())); err == nil {
		t.Error("another order got it")
	}
}

// TestWipe_takenMeanwhile: a hub that is slow frees nothing that another one has given out.
func TestWipe_takenMeanwhile(t *testing.T) {
	t.Parallel()
	b, one, two := newBed(t, 1), newID(), newID()
	must(t, b.host.Allocate(t.Context(), spec(one)))
	must(t, b.host.Release(t.Context(), one))
	b.wiped()
	must(t, b.host.Allocate(t.Context(), spec(two)))
	for range 3 {
		_, err := b.host.Wipe(t.Context())
		must(t, err)
		must(t, b.host.Release(t.Context(), one))
	}
	if m, err := b.machines.OfServer(t.Context(), two); err != nil || m.State != providers.Taken {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestNotConnected: without a connection nothing is begun, and what is wrong is said.
func TestNotConnected(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	b.panel.End()
	for range 2 {
		var refused *vpshost.RefusedError
		err := b.host.Allocate(t.Context(), spec(newID()))
		if !errors.As(err, &refused) || !errors.Is(err, providers.ErrNotConnected) {
			t.Fatalf("allocate: %v", err)
		}
		if !strings.Contains(refused.Reason, "Connect it again") {
			t.Errorf("says %q", refused.Reason)
		}
		must(t, release(t, b))
	}
	if l, err := b.links.Link(t.Context()); err != nil || l.Connected() || l.Problem == "" || l.ProblemAt.IsZero() {
		t.Errorf("the link is %+v, %v", l, err)
	}
}

// release gives back whatever is taken.
func release(t *testing.T, b *bed) error {
	t.Helper()
	all, err := b.machines.List(t.Context())
	must(t, err)
	return b.host.Release(t.Context(), all[0].ServerID)
}
