package db_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/work"
	"gatehouse/db"
)

// staffMember adds one of our staff, as whom to ask.
func (k *desk) staffMember(t *testing.T, email string) audit.Actor {
	t.Helper()
	a := audit.Actor{Kind: audit.Staff, ID: id(t), Name: email, Role: "MANAGER", Address: "192.0.2.9"}
	_, err := k.store().DB.Pool.Exec(t.Context(), `INSERT INTO staff
		(id, email, email_folded, name, role, password_hash, totp_secret, created_at)
		VALUES ($1, $2, $2, $2, 'MANAGER', '$argon2id$', 'x', now())`, a.ID, email)
	must(t, err)
	return a
}

func (k *desk) store() *db.Approvers { return k.Requests.(*db.Approvers) }

// asks has one of our staff ask with a new key, and gives its id; then a minute passes.
func (k *desk) asks(t *testing.T, by audit.Actor) string {
	t.Helper()
	must(t, k.AskAsStaff(t.Context(), k.of, device(t, "somebody's telephone"), by))
	k.now = k.now.Add(time.Minute)
	all, err := k.OfStaff(t.Context(), by.ID)
	must(t, err)
	return all[0].KeyID
}

// wantStandings fails unless the keys of one of our staff stand like this, the newest first.
func (k *desk) wantStandings(t *testing.T, of audit.Actor, want ...approver.Standing) {
	t.Helper()
	all, err := k.OfStaff(t.Context(), of.ID)
	must(t, err)
	if len(all) != len(want) {
		t.Fatalf("%d keys, want %v: %+v", len(all), want, all)
	}
	for i, got := range all {
		whose := got.Label == of.Name && got.Server == k.machine.server && got.Slug != "" && got.Customer != ""
		if !whose || got.Standing != want[i] || got.Since.IsZero() == (want[i] == approver.Enrolled) {
			t.Errorf("%d: want %s, got %+v", i, want[i], got)
		}
	}
}

// TestStaffKeys_life: one of our staff asks under their own address, whatever they call it, waits for the owner, allows
// once the server says so, and no longer when it takes the key back.
func TestStaffKeys_life(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	clerk, other := k.staffMember(t, "clerk@gatehouse.example"), k.staffMember(t, "other@gatehouse.example")
	k.wantStandings(t, clerk)
	first := k.asks(t, clerk)
	k.wantStandings(t, clerk, approver.Asked)
	second := k.asks(t, clerk) // in place of the first
	k.wantStandings(t, clerk, approver.Asked)
	k.wantWaiting(t, clerk.Name)
	wantKind(t, k.vouch(t, approver.Request{KeyID: first}), fault.NotFound)
	must(t, k.vouch(t, approver.Request{KeyID: second}))
	k.wantWaiting(t)
	k.wantStandings(t, clerk, approver.Enrolled)
	k.wantStandings(t, other)
	if held := k.machine.held[1]; held.Holder != wire.HolderStaff || held.Label != clerk.Name {
		t.Errorf("the server was told %+v", held)
	}
	if h, member, err := k.store().Holder(t.Context(), k.machine.server, second); h != wire.HolderStaff || member != clerk.ID || err != nil {
		t.Errorf("it is held by %s %s, %v", h, member, err)
	}
	third := k.asks(t, clerk) // beside the one that counts
	k.wantStandings(t, clerk, approver.Asked, approver.Enrolled)
	must(t, k.Refuse(t.Context(), k.of, third))
	k.wantStandings(t, clerk, approver.Refused, approver.Enrolled)
	wantKind(t, k.vouch(t, approver.Request{KeyID: third}), fault.NotFound)
	k.machine.held = k.machine.held[:1]
	must(t, k.Report(t.Context(), k.machine.server, wire.ApproverState{Keys: k.machine.held}))
	k.wantStandings(t, clerk, approver.Refused, approver.Revoked)
	if h, _, err := k.store().Holder(t.Context(), k.machine.server, second); h != "" || err != nil {
		t.Errorf("a revoked key is held by %s, %v", h, err)
	}
	k.wantRecorded(t, clerk, second)
}

// wantRecorded fails unless it is on record that somebody asked with a key.
func (k *desk) wantRecorded(t *testing.T, by audit.Actor, key string) {
	t.Helper()
	got, err := (&db.Audit{DB: k.store().DB}).List(t.Context(), string(k.of), page.Ask{})
	must(t, err)
	for _, e := range got.Items {
		if e.Action == "approver.ask" && e.By == by && e.Details["key_id"] == key && e.Target == string(k.machine.server) {
			return
		}
	}
	t.Errorf("recorded is %+v", got.Items)
}

// TestStaffKeys_runOut: staff wait longer than devices, yet not for ever, and neither takes the room of the other.
func TestStaffKeys_runOut(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	clerk := k.staffMember(t, "clerk@gatehouse.example")
	key := k.asks(t, clerk)
	for _, label := range []string{"a", "b", "c", "d", "e"} {
		k.ask(t, device(t, label))
	}
	k.now = t0.Add(approver.StaffLife - time.Microsecond)
	k.ask(t, device(t, "f"))
	k.wantWaiting(t, clerk.Name, "f")
	k.wantStandings(t, clerk, approver.Asked)
	k.now = t0.Add(approver.StaffLife)
	k.wantWaiting(t, "f")
	k.wantStandings(t, clerk, approver.RanOut)
	wantKind(t, k.vouch(t, approver.Request{KeyID: key}), fault.NotFound)
}

// TestStaffKeys_refused: nobody asks where no owner could vouch, with no key, or with the key of another.
func TestStaffKeys_refused(t *testing.T) {
	t.Parallel()
	empty := newDesk(t)
	wantKind(t, empty.AskAsStaff(t.Context(), empty.of, device(t, "x"), empty.staffMember(t, "clerk@gatehouse.example")), fault.Conflict)
	k := newDesk(t, device(t, "first"))
	clerk, other := k.staffMember(t, "clerk@gatehouse.example"), k.staffMember(t, "other@gatehouse.example")
	bad := device(t, "x")
	bad.Kind = wire.SoftwareKey
	wantKind(t, k.AskAsStaff(t.Context(), k.of, bad, clerk), fault.Invalid)
	mine := device(t, "x")
	must(t, k.AskAsStaff(t.Context(), k.of, mine, clerk))
	wantKind(t, k.AskAsStaff(t.Context(), k.of, mine, other), fault.Conflict)
	k.wantStandings(t, clerk, approver.Asked)
	k.wantStandings(t, other)
}

// TestStaffKeys_told: the owner who has proven their address is told of what staff ask, in words that are the same all day
// for one of staff, so that the queue sends them once; what was not kept tells nobody, and what cannot be told is not kept.
func TestStaffKeys_told(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	clerk, other := k.staffMember(t, "clerk@gatehouse.example"), k.staffMember(t, "other@gatehouse.example")
	k.asks(t, clerk)
	if len(k.queue.items) != 0 {
		t.Fatalf("an address that nobody has proven is sent %+v", k.queue.items)
	}
	var owner string
	const prove = "UPDATE users SET verified_at = now() WHERE customer_id = $1 RETURNING id::text"
	must(t, k.store().DB.Pool.QueryRow(t.Context(), prove, string(k.of)).Scan(&owner))
	k.asks(t, clerk)
	k.asks(t, clerk)
	k.asks(t, other)
	k.now = k.now.Add(24 * time.Hour)
	k.asks(t, clerk)
	bad := device(t, "x")
	bad.Kind = wire.SoftwareKey
	wantKind(t, k.AskAsStaff(t.Context(), k.of, bad, clerk), fault.Invalid)
	letter := func(by audit.Actor, day string) work.Item {
		return work.SendMail{Template: "staff_key", UserID: owner, Ref: by.ID + " " + day}
	}
	day, next := t0.UTC().Format(time.DateOnly), t0.UTC().Add(24*time.Hour).Format(time.DateOnly)
	want := []work.Item{letter(clerk, day), letter(clerk, day), letter(other, day), letter(clerk, next)}
	if !slices.Equal(k.queue.items, want) {
		t.Errorf("queued\n%+v, want\n%+v", k.queue.items, want)
	}
	k.queue.err = errors.New("the queue is away")
	if err := k.AskAsStaff(t.Context(), k.of, device(t, "x"), other); !errors.Is(err, k.queue.err) {
		t.Errorf("asked with %v", err)
	}
	k.wantStandings(t, other, approver.RanOut)
}

// TestStaffKeys_used: when a key allowed last is what was recorded last of it.
func TestStaffKeys_used(t *testing.T) {
	t.Parallel()
	k := newDesk(t, device(t, "first"))
	clerk := k.staffMember(t, "clerk@gatehouse.example")
	key := k.asks(t, clerk)
	must(t, k.vouch(t, approver.Request{KeyID: key}))
	trail := &db.Trail{DB: k.store().DB}
	for i, e := range []audit.Entry{
		{By: clerk, Action: "approval.decide", Details: map[string]string{"key_id": key}},
		{By: clerk, Action: "approval.decide", Details: map[string]string{"key_id": key}},
		{By: clerk, Action: "approval.decide"}, // a denial
		{By: audit.Actor{Kind: audit.User, Name: "owner"}, Action: "approval.decide", Details: map[string]string{"key_id": key}},
	} {
		e.ID, e.At, e.CustomerID = id(t), t0.Add(time.Duration(i)*time.Minute), string(k.of)
		must(t, trail.Add(t.Context(), e))
	}
	want := t0.Add(time.Minute)
	used, err := k.Used(t.Context(), k.of)
	must(t, err)
	all, err := k.OfStaff(t.Context(), clerk.ID)
	must(t, err)
	if len(used) != 1 || !used[key].Equal(want) || !all[0].Used.Equal(want) {
		t.Errorf("used %v, %+v; want %s", used, all, want)
	}
}

// TestApprovals_staffShownHash: what staff see of a question is enough to sign it, and still none of its contents.
func TestApprovals_staffShownHash(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	store := &db.Approvals{DB: d}
	a := askedOf(t, d, n.Order.CustomerID, srv.ID, func(a *approval.Item) {
		a.Destination, a.Digest = "someone@example.com", wire.DigestOf(a.Approval)
	})
	got, err := store.Find(t.Context(), a.ID)
	must(t, err)
	if got.ShownHash != a.ShownHash || wire.DigestOf(got.Approval) != a.Digest {
		t.Errorf("staff would sign %q", wire.CallText(got.Approval))
	}
	if raw, _ := json.Marshal(got); got.Args != nil || got.Summary != "" || got.Destination != "" || got.Rule != nil || got.Taint != nil {
		t.Errorf("staff see %s", raw)
	}
}
