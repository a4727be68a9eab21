package approval_test

import (
	"maps"
	"net/http"
	"sync"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestApprovals_twentyAtOnce: one form that is sent twenty times at once is one decision, on record once and told to the
// server once.
func TestApprovals_twentyAtOnce(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	form := portaltest.AnswerTo(a, "allow_once")
	form.Set("csrf", b.CSRF())
	answers := make([]int, 20)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = b.Post(portaltest.ApprovalPath(a), maps.Clone(form)).StatusCode })
	}
	all.Wait()
	won := 0
	for _, status := range answers {
		switch status {
		case http.StatusSeeOther:
			won++
		case http.StatusConflict:
		default:
			t.Errorf("an answer got %d", status)
		}
	}
	it, err := h.Approvals.Get(t.Context(), of.ID, a.ID)
	portaltest.Must(t, err)
	if won != 1 || it.State != wire.ApprovalAllowed {
		t.Errorf("%d of 20 were taken, it is %s", won, it.State)
	}
	for what, query := range map[string]string{
		"records":   "SELECT count(*) FROM audit_log WHERE action = 'approval.decide' AND $1 <> ''",
		"decisions": "SELECT count(*) FROM link_out WHERE type = 'approval.decision' AND $1 <> ''",
	} {
		var n int
		portaltest.Must(t, h.DB.Pool.QueryRow(t.Context(), query, a.ID).Scan(&n))
		if n != 1 {
			t.Errorf("%d %s", n, what)
		}
	}
}
