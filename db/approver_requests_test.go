package db_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/db"
)

// machine answers for a customer's server: it takes every key, and reports at once what it holds. That it takes none
// without a signature is tested where keys are checked (agentd/approver) and on real processes (cmd/hub/e2e/approval).
type machine struct {
	keys   *approver.Service
	server server.ID
	held   []wire.ApproverKey
}

func (m *machine) Call(ctx context.Context, serverID string, method wire.Method, params, result any) error {
	e, enrols := params.(wire.Enrolment)
	out, told := result.(*wire.Enrolled)
	if !enrols || !told || method != wire.MethodApproverEnrol || server.ID(serverID) != m.server {
		return fmt.Errorf("%s is asked to %s with %T", serverID, method, params)
	}
	der, err := base64.RawURLEncoding.DecodeString(e.SPKI)
	if err != nil {
		return err
	}
	out.Key = wire.ApproverKey{KeyID: wire.ApproverKeyID(der), SPKI: e.SPKI, Kind: e.Kind, Holder: e.Holder, Label: e.Label, CreatedAt: t0}
	m.held = append(m.held, out.Key)
	return m.keys.Report(ctx, m.server, wire.ApproverState{Keys: m.held})
}

// desk is a customer with a server on which one key is enrolled, and the time by its clock.
type desk struct {
	*approver.Service
	of      account.CustomerID
	machine *machine
	now     time.Time
	queue   *queue
}

func newDesk(t *testing.T, keys ...approver.Request) *desk {
	t.Helper()
	d := fresh(t)
	n, srv := withServer(t, d)
	k := &desk{of: n.Order.CustomerID, machine: &machine{server: srv.ID}, now: t0, queue: &queue{}}
	store := &db.Approvers{DB: d, Jobs: k.queue}
	k.Service = &approver.Service{
		Store: store, Requests: store, Peer: server.Peer{Servers: &db.Links{DB: d}, Live: k.machine}, Now: func() time.Time { return k.now },
	}
	k.machine.keys = k.Service
	for _, r := range keys {
		_, err := k.Enrol(t.Context(), k.of, wire.Enrolment{SPKI: r.SPKI, Kind: r.Kind, Holder: wire.HolderPerson, Label: r.Label})
		must(t, err)
	}
	return k
}

// device is what a browser with a new key asks.
func device(t *testing.T, label string) approver.Request {
	t.Helper()
	return approver.Request{SPKI: publicKey(t, elliptic.P256()), Kind: wire.BrowserKey, Label: label, Address: "192.0.2.7"}
}

func publicKey(t *testing.T, c elliptic.Curve) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(c, rand.Reader)
	must(t, err)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	must(t, err)
	return base64.RawURLEncoding.EncodeToString(der)
}

// ask has a device wait and must succeed.
func (k *desk) ask(t *testing.T, r approver.Request) approver.Request {
	t.Helper()
	got, err := k.Ask(t.Context(), k.of, r)
	must(t, err)
	return got
}

// wantWaiting fails unless exactly these devices wait, the first to ask first.
func (k *desk) wantWaiting(t *testing.T, labels ...string) {
	t.Helper()
	_, waiting, err := k.Asking(t.Context(), k.of)
	must(t, err)
	var got []string
	for _, r := range waiting {
		got = append(got, r.Label)
	}
	if strings.Join(got, ", ") != strings.Join(labels, ", ") {
		t.Errorf("waiting: %q, want %q", got, labels)
	}
}

func (k *desk) vouch(t *testing.T, r approver.Request) error {
	t.Helper()
	return k.Vouch(t.Context(), k.of, r.KeyID, 1, &wire.Signature{}, wire.DecidedBy{})
}

func TestApproverRequests_badKey(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	for name, spoil := range map[string]func(*approver.Request){
		"no key":              func(r *approver.Request) { r.SPKI = "" },
		"no base64url":        func(r *approver.Request) { r.SPKI = "a+b/c==" },
		"no SPKI":             func(r *approver.Request) { r.SPKI = base64.RawURLEncoding.EncodeToString([]byte("a key")) },
		"another curve":       func(r *approver.Request) { r.SPKI = publicKey(t, elliptic.P384()) },
		"something behind":    func(r *approver.Request) { r.SPKI += "AAAA" },
		"no name":             func(r *approver.Request) { r.Label = " \t" },
		"a long name":         func(r *approver.Request) { r.Label = strings.Repeat("ü", 61) },
		"a name turned round": func(r *approver.Request) { r.Label = "My phone\u202e" },
		"a name of two lines": func(r *approver.Request) { r.Label = "My phone\nAdded" },
		"a long passkey":      func(r *approver.Request) { r.Credential = strings.Repeat("c", 2049) },
		"no kind":             func(r *approver.Request) { r.Kind = "" },
		"a software key":      func(r *approver.Request) { r.Kind = wire.SoftwareKey },
	} {
		r := device(t, "laptop")
		spoil(&r)
		_, err := k.Ask(t.Context(), k.of, r)
		if err == nil || fault.Of(err).Kind != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	k.wantWaiting(t)
	k.ask(t, device(t, strings.Repeat("ü", 60)))
}

// TestApproverRequests_five: a sixth device is told to wait; one that asks again takes its own place; room is made by a
// refusal, and by time.
func TestApproverRequests_five(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	var asked []approver.Request
	for _, label := range []string{"a", "b", "c", "d", "e"} {
		asked = append(asked, k.ask(t, device(t, label)))
		k.now = k.now.Add(time.Minute)
	}
	_, err := k.Ask(t.Context(), k.of, device(t, "f"))
	wantKind(t, err, fault.Conflict)
	again := asked[1]
	again.Label = "b again"
	k.ask(t, again)
	k.now = k.now.Add(time.Minute)
	k.wantWaiting(t, "a", "c", "d", "e", "b again")
	must(t, k.Refuse(t.Context(), k.of, asked[2].KeyID))
	k.ask(t, device(t, "f"))
	_, err = k.Ask(t.Context(), k.of, device(t, "g"))
	wantKind(t, err, fault.Conflict)
	k.now = t0.Add(approver.RequestLife)
	k.ask(t, device(t, "g"))
	k.wantWaiting(t, "d", "e", "b again", "f", "g")
}

// TestApproverRequests_nobody: without an enrolled key nobody could vouch, so nobody waits in vain.
func TestApproverRequests_nobody(t *testing.T) {
	t.Parallel()
	k := newDesk(t)
	_, err := k.Ask(t.Context(), k.of, device(t, "laptop"))
	wantKind(t, err, fault.Conflict)
	k.wantWaiting(t)
	_, err = k.Ask(t.Context(), account.CustomerID(id(t)), device(t, "laptop"))
	wantKind(t, err, fault.NotFound)
}

// TestApproverRequests_runOut: a request is there until just before its 15 minutes are over, and then for nobody.
func TestApproverRequests_runOut(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	r := k.ask(t, device(t, "laptop"))
	k.now = t0.Add(15*time.Minute - time.Microsecond)
	k.wantWaiting(t, "laptop")
	k.now = t0.Add(15 * time.Minute)
	k.wantWaiting(t)
	wantKind(t, k.vouch(t, r), fault.NotFound)
	if len(k.machine.held) != 1 {
		t.Errorf("%d keys are enrolled", len(k.machine.held))
	}
}

// TestApproverRequests_once: a device is vouched for or refused once; what comes later finds nothing and changes nothing.
func TestApproverRequests_once(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	wantKind(t, k.vouch(t, approver.Request{KeyID: "never asked"}), fault.NotFound)
	laptop, tablet := k.ask(t, device(t, "laptop")), k.ask(t, device(t, "tablet"))
	must(t, k.vouch(t, laptop))
	k.wantWaiting(t, "tablet")
	wantKind(t, k.vouch(t, laptop), fault.NotFound)
	must(t, k.Refuse(t.Context(), k.of, tablet.KeyID))
	must(t, k.Refuse(t.Context(), k.of, tablet.KeyID)) // nothing to take back
	wantKind(t, k.vouch(t, tablet), fault.NotFound)
	k.ask(t, laptop) // enrolled already: nobody is asked to vouch for it again
	k.wantWaiting(t)
	if len(k.machine.held) != 2 {
		t.Errorf("%d keys are enrolled, want the first and the laptop's", len(k.machine.held))
	}
}

// TestApproverRequests_failedVouch: while the server takes no key, the device goes on waiting.
func TestApproverRequests_failedVouch(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	r := k.ask(t, device(t, "laptop"))
	k.machine.server = server.ID(id(t))
	if err := k.vouch(t, r); err == nil {
		t.Error("a server that does not answer took a key")
	}
	k.wantWaiting(t, "laptop")
}

// TestApproverRequests_ofOne: nobody sees, vouches for or refuses what waits at another customer's.
func TestApproverRequests_ofOne(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	r := k.ask(t, device(t, "laptop"))
	n, _ := withServer(t, k.Requests.(*db.Approvers).DB)
	wantKind(t, k.Vouch(t.Context(), n.Order.CustomerID, r.KeyID, 1, &wire.Signature{}, wire.DecidedBy{}), fault.NotFound)
	must(t, k.Refuse(t.Context(), n.Order.CustomerID, r.KeyID))
	k.wantWaiting(t, "laptop")
}
