package inbox

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"

	views "gatehouse/views/inbox"
)

// history answers GET /app/approvals/history: who allowed what, newest first. What was asked is on the server; the hub
// has forgotten it.
func (h *Inbox) history(c echo.Context) error {
	f := h.filterOf(c)
	got, err := h.query(c, approval.Query{
		Status: "decided", Agent: f.Agent, Tier: f.Tier, Page: page.Ask{After: c.QueryParam("after"), Limit: page.DefaultLimit, Search: f.Search},
	})
	if err != nil {
		return err
	}
	p := views.HistoryProps{Base: h.Base, Staff: h.staff(), Tier: f.Tier, Agent: f.Agent, Search: f.Search, Next: got.Next}
	h.sayAgain(c, got.Items)
	for _, it := range got.Items {
		p.Rows = append(p.Rows, card.OfItem(web.Context(c), it, h.look(web.Context(c), it.CustomerID, nil)))
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, views.HistoryResults(p))
	}
	frame, err := h.Frame(c, i18n.T(web.Context(c), "inbox.history_title"), h.streamOf(""))
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.HistoryPage(frame, p))
}

// sayAgain gives approvals the sentences that the hub erased when they were decided, if the customer's server can be asked.
// Staff read none.
func (h *Inbox) sayAgain(c echo.Context, all []approval.Item) {
	if h.staff() || len(all) == 0 {
		return
	}
	ids := make([]string, 0, len(all))
	for _, it := range all {
		ids = append(ids, it.ID)
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), fillWait)
	defer cancel()
	said, err := h.Servers.Said(ctx, customer(c), ids)
	if err != nil {
		return // without them the rows name agent and tool
	}
	for i := range all {
		if says := said[all[i].ID]; all[i].Summary == "" {
			all[i].Summary = i18n.Say(ctx, says)
		}
	}
}
