package inbox

import (
	"context"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/web"
	"gatehouse/views/ui"
)

// TestListProps_saysWhenThereIsMore: a list that ends because a page is full does not look like all there is.
func TestListProps_saysWhenThereIsMore(t *testing.T) {
	t.Parallel()
	h := &Inbox{Deps{For: web.Staff, Agent: func(context.Context, account.CustomerID, string) ui.Agent { return ui.Agent{} }}}
	for n, want := range map[int]bool{0: false, page.MaxLimit - 1: false, page.MaxLimit: true} {
		items := make([]approval.Item, n)
		for i := range items {
			items[i].Approval = wire.Approval{Tier: "red", Agent: "a"}
		}
		if p := h.listProps(t.Context(), items, Filter{}, nil); p.More != want || p.Total != n || len(p.Cards) != n {
			t.Errorf("%d: %v, %d of %d", n, p.More, len(p.Cards), p.Total)
		}
	}
}
