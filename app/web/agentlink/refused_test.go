package agentlink_test

import (
	"encoding/json"
	"slices"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/staff"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// TestApproval_refusedIsRecorded: an answer that is not taken leaves a record of who tried, what and why not, without
// anything that was sent along.
func TestApproval_refusedIsRecorded(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	q := a.question()
	must(t, h.approvals.Receive(t.Context(), approval.Sender{ID: c.server, CustomerID: c.id}, q))
	late := signature(t)
	late.Time = late.Time.AddDate(0, 0, -1)
	clerk := c.owner()
	clerk.UserID, clerk.Name = "s1", "staff@example.com"
	try := func(ans approval.Answer) {
		if ans.By.Name == "" {
			ans.By = c.owner()
		}
		answer := func() error { return first(h.approvals.Decide(t.Context(), c.id, q.ID, ans)) }
		if ans.By.Name == clerk.Name {
			answer = func() error { return first(h.approvals.DecideAny(t.Context(), q.ID, ans)) }
		}
		if err := answer(); err == nil {
			t.Errorf("%s was taken", ans.Verb)
		}
	}
	try(approval.Answer{Verb: wire.AllowOnce})
	try(approval.Answer{Verb: wire.AllowOnce, Signature: late})
	try(approval.Answer{Verb: wire.AllowOnce, Signature: signature(t), Digest: "zzsecretdigest"})
	try(approval.Answer{Verb: "zzsecretverb"})
	try(approval.Answer{Verb: wire.Edit, Args: json.RawMessage(`["zzsecretargs"]`), Signature: signature(t)})
	try(approval.Answer{Verb: wire.AllowOnce, By: clerk, Staff: staff.Owner})
	must(t, first(h.approvals.Decide(t.Context(), c.id, q.ID, approval.Answer{Verb: wire.Deny, By: c.owner()})))
	try(approval.Answer{Verb: wire.AllowOnce, Signature: signature(t)})

	list, err := (&db.Audit{DB: h.db}).List(t.Context(), string(c.id), page.Ask{Limit: 50})
	must(t, err)
	var got []string
	for _, e := range list.Items {
		if e.Action == "approval.refuse" && e.Target == q.ID && e.By.Address == "192.0.2.1" && !e.At.IsZero() {
			got = append(got, string(e.By.Kind)+" "+e.Details["decision"]+" "+e.Details["why"])
		}
	}
	slices.Reverse(got)
	want := []string{
		"user allow_once signature-required", "user allow_once signature-stale", "user allow_once approval-changed",
		"user unknown invalid", "user edit invalid", "staff allow_once signature-required", "user allow_once approval-decided",
	}
	if !slices.Equal(got, want) {
		t.Errorf("on record are\n%q, want\n%q", got, want)
	}
	if found := secrets(t, h.db, "zzsecret"); len(found) != 0 {
		t.Errorf("what was sent along is in %v", found)
	}
}
