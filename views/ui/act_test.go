package ui

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func rendered(t *testing.T, receipts ...Receipt) string {
	t.Helper()
	var b strings.Builder
	if err := ReceiptTimeline(receipts, Chain{State: "verified"}).Render(With(context.Background(), Request{}), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReceipts_byCall: the receipts of one call stand behind one line that says what was done, who let it, and how long it
// took; calls that took turns stay apart, and a receipt of no call stands alone.
func TestReceipts_byCall(t *testing.T) {
	t.Parallel()
	got := rendered(t,
		Receipt{Seq: 1, Call: "a", Type: "call.requested", Says: "wants to delete"},
		Receipt{Seq: 2, Call: "b", Type: "call.requested", Says: "wants to write"},
		Receipt{Seq: 3, Call: "a", Type: "call.approved", Says: "owner@example.com, in the portal"},
		Receipt{Seq: 4, Call: "b", Type: "call.denied", Says: "staff, on the staff pages", Decided: true},
		Receipt{Seq: 5, Call: "a", Type: "call.finished", Says: "Deleted 14 files", Took: "0.3 s"},
		Receipt{Seq: 6, Type: "config.applied"},
	)
	if n := strings.Count(got, `class="act"`); n != 2 {
		t.Errorf("%d lines for 2 calls", n)
	}
	first, second, _ := strings.Cut(got, `id="receipt-2"`)
	for _, want := range []string{
		"Deleted 14 files", "allowed by owner@example.com, in the portal", "0.3 s", `id="receipt-1"`, `id="receipt-3"`, `id="receipt-5"`,
	} {
		if !strings.Contains(first, want) {
			t.Errorf("the first call lacks %q", want)
		}
	}
	for _, want := range []string{"wants to write", "denied by staff, on the staff pages", `id="receipt-6"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the second call, or what is of none, lacks %q: %s", want, second)
		}
	}
}

// TestReceipts_onlyLooked: a run that changed nothing is one line; one call that did more than look shows all.
func TestReceipts_onlyLooked(t *testing.T) {
	t.Parallel()
	look := func(call, tier string) []Receipt {
		return []Receipt{
			{Call: call, Type: "call.classified", Tier: tier},
			{Call: call, Type: "call.allowed"},
			{Call: call, Type: "call.finished", Tool: "file_list", Says: "Looked"},
		}
	}
	both := slices.Clip(append(look("a", "green"), look("b", "green")...))
	if got := rendered(t, both...); !strings.Contains(got, "2 steps that only looked") {
		t.Errorf("looking is not folded: %s", got)
	}
	for name, all := range map[string][]Receipt{
		"a change":  append(look("a", "green"), look("b", "yellow")...),
		"a failure": append(look("a", "green"), Receipt{Call: "b", Type: "call.failed"}),
		"a setting": append(look("a", "green"), Receipt{Type: "config.applied"}),
		"a mail to a colleague": append(look("a", "green"),
			Receipt{Call: "b", Type: "call.classified", Tier: "green"}, Receipt{Call: "b", Type: "call.allowed"},
			Receipt{Call: "b", Type: "call.finished", Tool: "message"}),
		"a look that a person allowed": append(both, Receipt{Call: "b", Type: "call.approved"}),
		"a look with a secret":         append(both, Receipt{Call: "b", Type: "credential.leased"}),
		"nothing at all":               nil,
		"one look":                     look("a", "green"),
	} {
		if got := rendered(t, all...); strings.Contains(got, "only looked") {
			t.Errorf("%s is folded away", name)
		}
	}
}

// TestReceipts_ends: what became of a call is not what came after it, nor a decision that did not hold; nobody is named who did
// not decide.
func TestReceipts_ends(t *testing.T) {
	t.Parallel()
	done := rendered(t,
		Receipt{Call: "a", Type: "call.finished", Says: "Sent", Took: "0.3 s"},
		Receipt{Call: "a", Type: "approval.refused", Says: "too late"})
	if summary, _, _ := strings.Cut(done, "</summary>"); !strings.Contains(summary, "0.3 s") || strings.Contains(summary, "act-end") {
		t.Errorf("an answer that came late counts as the end: %s", summary)
	}
	forged := rendered(t,
		Receipt{Call: "a", Type: "call.asked"},
		Receipt{Call: "a", Type: "call.denied", Refused: true, Decided: true, Says: "owner@example.com"},
		Receipt{Call: "a", Type: "call.asked"})
	if summary, _, _ := strings.Cut(forged, "</summary>"); strings.Contains(summary, "denied by") {
		t.Errorf("a forged decision counts: %s", summary)
	}
	byRules := rendered(t,
		Receipt{Call: "a", Type: "call.requested"}, Receipt{Call: "a", Type: "call.denied", Says: "It would write outside"})
	if summary, _, _ := strings.Cut(byRules, "</summary>"); strings.Contains(summary, "denied by It") {
		t.Errorf("a rule is named as a person: %s", summary)
	}
}

// TestApproval_emptyMore: a card about which nothing more is known has nothing that opens.
func TestApproval_emptyMore(t *testing.T) {
	t.Parallel()
	bare := Approval{ID: "a", Asks: "Delete", State: "allowed"}
	known := bare
	known.Reason = "You asked for it."
	for _, tc := range []struct {
		card Approval
		more bool
	}{{bare, false}, {known, true}} {
		var b strings.Builder
		if err := ApprovalCard(tc.card, Full).Render(With(context.Background(), Request{}), &b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "approval-more"); got != tc.more {
			t.Errorf("%q: it opens %t", tc.card.Reason, got)
		}
	}
}
