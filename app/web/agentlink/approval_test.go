package agentlink_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/staff"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// asked lets the agent ask and waits until the hub has the question.
func (h *hub) asked(t *testing.T, a *agent, c customer, q wire.Approval) {
	t.Helper()
	a.put(wire.TypeApprovalRequest, q)
	waitFor(t, "the question reaches the hub", func() bool {
		_, err := h.approvals.Get(t.Context(), c.id, q.ID)
		return err == nil
	})
}

// TestApproval_zeroBytes: an agent cannot keep a question from its owner by saying what no database keeps.
func TestApproval_zeroBytes(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL)
	a.up(h)
	const zero = "a\x00b"
	q := a.question(func(q *wire.Approval) {
		q.Summary, q.Reason, q.WhyAsked, q.Destination = zero, zero, zero, zero
		q.Args, q.Facts = json.RawMessage(`{"content":"a\u0000b"}`), []wire.Fact{{Name: zero, Text: zero}}
		q.Diff = &wire.Diff{Path: zero, Unified: zero}
		q.Guardian = &wire.Judgement{Reason: zero}
	})
	h.asked(t, a, c, q)
	got, err := h.approvals.Get(t.Context(), c.id, q.ID)
	must(t, err)
	if got.Reason != "a\uFFFDb" || string(got.Args) != `{"content":"a\u0000b"}` || got.Destination != zero || got.Diff.Unified != zero {
		t.Errorf("%q %s %q %q", got.Reason, got.Args, got.Destination, got.Diff.Unified)
	}
}

// decision waits for the decision of an approval at the agent and counts how often it came.
func (a *agent) decision(id string) (d wire.Decision, times int) {
	for _, f := range a.frames(wire.TypeApprovalDecision) {
		var got wire.Decision
		must(a.t, json.Unmarshal(f.Body, &got))
		if got.ApprovalID == id {
			d, times = got, times+1
		}
	}
	return d, times
}

// secrets lists the tables that show word anywhere, in any column, cast to text.
func secrets(t *testing.T, d *db.DB, word string) (found []string) {
	t.Helper()
	rows, err := d.Pool.Query(t.Context(), "SELECT quote_ident(table_name) FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'")
	must(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if len(tables) < 20 {
		t.Fatalf("only %d tables were looked at", len(tables))
	}
	for _, table := range tables {
		var hit bool
		must(t, d.Pool.QueryRow(t.Context(), fmt.Sprintf(
			`SELECT EXISTS (SELECT FROM %s AS r WHERE position($1 IN r::text) > 0 OR position(encode(convert_to($1, 'UTF8'), 'hex') IN r::text) > 0
				OR position(encode(convert_to($1, 'UTF8'), 'base64') IN r::text) > 0)`, table), word).Scan(&hit))
		if hit {
			found = append(found, table)
		}
	}
	return found
}

func TestApproval_decidedWhileLinked(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL)
	a.up(h)
	q := a.question()
	h.asked(t, a, c, q)

	got, err := h.approvals.Get(t.Context(), c.id, q.ID)
	must(t, err)
	if string(got.Args) != string(q.Args) || got.Summary != q.Summary || len(got.Facts) != 1 || got.Diff == nil || got.WhyAsked != q.WhyAsked {
		t.Fatalf("the question came as %+v", got)
	}
	if found := secrets(t, h.db, "zzsecret"); len(found) != 1 || found[0] != "approvals" {
		t.Fatalf("while pending, contents are in %v", found)
	}
	if _, err := h.approvals.Decide(t.Context(), c.id, q.ID, approval.Answer{Signature: signature(t), Verb: wire.AllowWindow, Minutes: 15, Digest: q.Digest, By: c.owner()}); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the decision reaches the server", func() bool { _, n := a.decision(q.ID); return n == 1 })
	d, _ := a.decision(q.ID)
	if d.Verb != wire.AllowWindow || d.Minutes != 15 || d.Digest != q.Digest || d.By.UserID != string(c.user) || d.By.Address != "192.0.2.1" || d.By.Time.IsZero() {
		t.Fatalf("the decision came as %+v", d)
	}
	if found := secrets(t, h.db, "zzsecret"); len(found) != 0 {
		t.Fatalf("after the decision, contents are still in %v", found)
	}
	waitFor(t, "the outbox is empty", func() bool {
		waits, err := h.links.Waiting(t.Context(), c.server, wire.TypeApprovalDecision)
		must(t, err)
		return !waits
	})
}

func TestApproval_decidedWhileAway(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL)
	a.up(h)
	q1, q2 := a.question(), a.question()
	h.asked(t, a, c, q1)
	h.asked(t, a, c, q2)
	a.stop()
	waitFor(t, "the hub sees the server go", func() bool { return h.handler.Count() == 0 })

	_, err := h.approvals.Decide(t.Context(), c.id, q1.ID, approval.Answer{Verb: wire.Deny, Reason: "No, zzsecretdeny.", By: c.owner()})
	must(t, err)
	_, err = h.approvals.Decide(t.Context(), c.id, q2.ID, approval.Answer{Signature: signature(t), Verb: wire.Edit, Args: json.RawMessage(`{"path":"zzsecretedit"}`), By: c.owner()})
	must(t, err)
	if found := secrets(t, h.db, "zzsecret"); len(found) != 0 {
		t.Fatalf("contents can be read in %v", found)
	}
	a.run(h.web.URL)
	waitFor(t, "both decisions arrive", func() bool {
		_, one := a.decision(q1.ID)
		_, two := a.decision(q2.ID)
		return one == 1 && two == 1
	})
	a.stop()
	a.run(h.web.URL) // a second time, as after any break
	a.up(h)
	h.asked(t, a, c, a.question()) // whatever was to come has come before this
	d1, n1 := a.decision(q1.ID)
	d2, n2 := a.decision(q2.ID)
	if n1 != 1 || n2 != 1 || d1.Reason != "No, zzsecretdeny." || string(d2.Args) != `{"path":"zzsecretedit"}` {
		t.Fatalf("decisions came %d and %d times: %+v %+v", n1, n2, d1, d2)
	}
}

func TestApproval_raced(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	const races = 1000
	from := approval.Sender{ID: c.server, CustomerID: c.id}
	ids := make(chan string, races)
	for range races {
		q := a.question()
		must(t, h.approvals.Receive(t.Context(), from, q))
		ids <- q.ID
	}
	close(ids)
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for id := range ids {
				h.race(t, c, id, &won, &lost)
			}
		})
	}
	wg.Wait()
	if won.Load() != races || lost.Load() != races {
		t.Fatalf("%d won and %d lost of %d races", won.Load(), lost.Load(), races)
	}
	for table, sql := range map[string]string{
		"audit_log": "SELECT count(*) FROM audit_log WHERE action = 'approval.decide'",
		"link_out":  "SELECT count(*) FROM link_out WHERE type = 'approval.decision'",
		"approvals": "SELECT count(*) FROM approvals WHERE state <> 'pending' AND verb <> '' AND args IS NULL",
	} {
		var n int
		must(t, h.db.Pool.QueryRow(t.Context(), sql).Scan(&n))
		if n != races {
			t.Errorf("%s has %d rows, want %d", table, n, races)
		}
	}
}

// race lets two browsers answer one approval at once.
func (h *hub) race(t *testing.T, c customer, id string, won, lost *atomic.Int64) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for _, verb := range []wire.Verb{wire.AllowOnce, wire.Deny} {
		wg.Go(func() {
			<-start
			_, err := h.approvals.Decide(t.Context(), c.id, id, approval.Answer{Verb: verb, Signature: signature(t), By: c.owner()})
			var decided *approval.DecidedError
			switch {
			case err == nil:
				won.Add(1)
			case errors.As(err, &decided) && decided.Decision != "" && decided.Decision != verb && decided.By == c.email && !decided.Time.IsZero():
				lost.Add(1)
			default:
				t.Errorf("unexpected answer to %s: %v", verb, err)
			}
		})
	}
	close(start)
	wg.Wait()
}

// TestApproval_editRaisesTheTier: whoever edits is led to what is asked instead, which the server sends after its word that it
// asks anew.
func TestApproval_editRaisesTheTier(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL)
	a.up(h)
	q, next := a.question(), a.question()
	h.asked(t, a, c, q)
	go func() { // the gate classifies anew and asks anew
		for n := 0; n == 0; _, n = a.decision(q.ID) {
			<-a.came
		}
		a.put(wire.TypeApprovalUpdate, wire.ApprovalUpdate{ID: q.ID, State: wire.ApprovalSuperseded, Execution: wire.ExecNone, Next: next.ID, Time: time.Now()})
		for !a.empty() {
			time.Sleep(time.Millisecond)
		}
		a.put(wire.TypeApprovalRequest, next)
	}()
	got, err := h.approvals.Decide(t.Context(), c.id, q.ID, approval.Answer{Signature: signature(t), Verb: wire.Edit, Args: json.RawMessage(`{"path":"*"}`), By: c.owner()})
	must(t, err)
	if got.State != wire.ApprovalSuperseded || got.Next != next.ID {
		t.Fatalf("the answer is %s, next %q", got.State, got.Next)
	}
	must(t, first(h.approvals.Get(t.Context(), c.id, next.ID)))
}

func TestApproval_updates(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL)
	a.up(h)
	q := a.question()
	h.asked(t, a, c, q)
	must(t, first(h.approvals.Decide(t.Context(), c.id, q.ID, approval.Answer{Signature: signature(t), Verb: wire.AllowOnce, By: c.owner()})))
	for _, e := range []wire.Execution{wire.ExecQueued, wire.ExecRunning, wire.ExecDone, wire.ExecRunning} {
		a.put(wire.TypeApprovalUpdate, wire.ApprovalUpdate{ID: q.ID, State: wire.ApprovalAllowed, Execution: e, Time: time.Now()})
	}
	waitFor(t, "the server's updates are taken", a.empty)
	got, err := h.approvals.Get(t.Context(), c.id, q.ID)
	must(t, err)
	if got.State != wire.ApprovalAllowed || got.Execution != wire.ExecDone || got.DecidedBy.Name != c.email {
		t.Fatalf("it stands as %s %s by %v", got.State, got.Execution, got.DecidedBy)
	}
	q = a.question()
	h.asked(t, a, c, q)
	a.put(wire.TypeApprovalUpdate, wire.ApprovalUpdate{ID: q.ID, State: wire.ApprovalWithdrawn, Time: time.Now()})
	waitFor(t, "the withdrawal is taken", a.empty)
	_, err = h.approvals.Decide(t.Context(), c.id, q.ID, approval.Answer{Signature: signature(t), Verb: wire.AllowOnce, By: c.owner()})
	wantErr(t, err, approval.ErrDecided)
	if found := secrets(t, h.db, "zzsecret"); len(found) != 0 {
		t.Fatalf("contents are left in %v", found)
	}
}

func TestApproval_otherCustomer(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	one, two := h.newCustomer(t), h.newCustomer(t)
	a := h.newAgent(t, one)
	q := a.question()
	must(t, h.approvals.Receive(t.Context(), approval.Sender{ID: one.server, CustomerID: one.id}, q))
	_, err := h.approvals.Get(t.Context(), two.id, q.ID)
	wantErr(t, err, db.ErrNotFound)
	_, err = h.approvals.Decide(t.Context(), two.id, q.ID, approval.Answer{Signature: signature(t), Verb: wire.AllowOnce, By: two.owner()})
	wantErr(t, err, db.ErrNotFound)
	list, err := h.approvals.List(t.Context(), two.id, approval.Query{})
	must(t, err)
	if len(list.Items) != 0 {
		t.Fatalf("another customer sees %d", len(list.Items))
	}
	from := approval.Sender{ID: two.server, CustomerID: two.id}
	if err := h.approvals.Receive(t.Context(), from, q); err == nil {
		t.Fatal("a server asked in the name of another")
	}
	if err := h.approvals.Update(t.Context(), from, wire.ApprovalUpdate{ID: q.ID, State: wire.ApprovalAllowed}); err == nil {
		t.Fatal("a server decided for another")
	}
}

func TestApproval_staff(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	q := a.question()
	must(t, h.approvals.Receive(t.Context(), approval.Sender{ID: c.server, CustomerID: c.id}, q))
	clerk := wire.DecidedBy{UserID: newID(), Name: "staff", Role: "staff", Channel: "admin", Method: "session"}
	list, err := h.approvals.ListAll(t.Context(), approval.Query{Status: "pending"})
	must(t, err)
	one, err := h.approvals.Find(t.Context(), q.ID)
	must(t, err)
	for _, seen := range append(list.Items, one) {
		raw, err := json.Marshal(seen)
		must(t, err)
		if strings.Contains(string(raw), "zzsecret") || seen.Customer != "Example Bakery" || seen.Facts[0].Value != 14 {
			t.Errorf("staff see %s", raw)
		}
	}
	allow := approval.Answer{Signature: signature(t), Verb: wire.AllowOnce, By: clerk, Staff: staff.Manager}
	_, err = h.approvals.DecideAny(t.Context(), q.ID, allow)
	wantErr(t, err, approval.ErrStaffAllow)
	allow.Staff = staff.Support
	_, err = h.approvals.DecideAny(t.Context(), q.ID, allow)
	wantErr(t, err, staff.Refused(staff.ApprovalsDecide))
	_, err = h.approvals.DecideAny(t.Context(), q.ID, approval.Answer{Verb: wire.Deny, By: clerk})
	wantErr(t, err, staff.Refused(staff.ApprovalsRead))
	got, err := h.approvals.DecideAny(t.Context(), q.ID, approval.Answer{Verb: wire.Deny, By: clerk, Staff: staff.Support})
	must(t, err)
	if got.State != wire.ApprovalDenied || got.DecidedBy.Role != "staff" {
		t.Fatalf("it stands as %s by %v", got.State, got.DecidedBy)
	}
}

func TestApproval_expires(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	from := approval.Sender{ID: c.server, CustomerID: c.id}
	old := a.question(func(q *wire.Approval) { q.ExpiresAt = time.Now().UTC().Add(-time.Hour).Truncate(time.Second) })
	open := a.question()
	must(t, h.approvals.Receive(t.Context(), from, old))
	must(t, h.approvals.Receive(t.Context(), from, open))
	_, err := h.approvals.Decide(t.Context(), c.id, old.ID, approval.Answer{Signature: signature(t), Verb: wire.AllowOnce, By: c.owner()})
	wantErr(t, err, approval.ErrExpired)
	n, err := h.approvals.Expire(t.Context())
	must(t, err)
	if n != 1 {
		t.Fatalf("%d were ended, want 1", n)
	}
	got, err := h.approvals.Get(t.Context(), c.id, old.ID)
	must(t, err)
	if got.State != wire.ApprovalExpired || got.Args != nil {
		t.Fatalf("it stands as %s with %s", got.State, got.Args)
	}
}

// TestApproval_pageOfMany measures the pending page of a customer with 1,000 approvals, and walks through all of them.
func TestApproval_pageOfMany(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	for range 1000 {
		must(t, h.approvals.Receive(t.Context(), approval.Sender{ID: c.server, CustomerID: c.id}, a.question()))
	}
	seen := map[string]bool{}
	q := approval.Query{Status: "pending", Page: page.Ask{Limit: 40}}
	for pages := 0; ; pages++ {
		p, err := h.approvals.List(t.Context(), c.id, q)
		must(t, err)
		for _, it := range p.Items {
			seen[it.ID] = true
		}
		if q.Page.After = p.Next; p.Next == "" {
			break
		}
		if pages > 30 {
			t.Fatal("the list does not end")
		}
	}
	n, err := h.approvals.Pending(t.Context(), c.id)
	must(t, err)
	if len(seen) != 1000 || n != 1000 {
		t.Fatalf("listed %d, counted %d", len(seen), n)
	}
}

func BenchmarkApprovalPage(b *testing.B) {
	h := startHub(b, dbtest.New(b))
	c := h.newCustomer(b)
	a := h.newAgent(b, c)
	for range 1000 {
		must(b, h.approvals.Receive(b.Context(), approval.Sender{ID: c.server, CustomerID: c.id}, a.question()))
	}
	q := approval.Query{Status: "pending", Page: page.Ask{Limit: 40}}
	for b.Loop() {
		_, err := h.approvals.List(b.Context(), c.id, q)
		must(b, err)
		_, err = h.approvals.Pending(b.Context(), c.id)
		must(b, err)
	}
}

func first[T any](_ T, err error) error { return err }
