package inbox

import (
	"context"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/ui"

	views "gatehouse/views/inbox"
)

// stream answers GET /admin/approvals/stream: what changes of the approvals of all customers while staff look at them.
func (h *Inbox) stream(c echo.Context) error {
	s, err := web.SSE(c)
	if err != nil {
		return err
	}
	defer s.Close()
	sub, err := h.Live.SubscribeAll(s.Context())
	if err != nil {
		return err
	}
	defer sub.Close()
	topic := c.QueryParam("topic")
	f := h.filterOf(c)
	may, err := h.leave(c)
	if err != nil {
		return err
	}
	if err := h.greet(s, topic, f, c.QueryParam("id"), may); err != nil {
		return err
	}
	return web.Pump(s, sub.C, func(n relay.Notice) error {
		if n.Kind != relay.KindApproval {
			return nil
		}
		may, err := h.leave(c) // a key may have been added, or taken back, meanwhile
		if err != nil {
			return err
		}
		parts, err := h.changed(s.Context(), topic, f, c.QueryParam("id"), n.ID, may)
		if err != nil {
			return err
		}
		return s.Swap("", parts...)
	})
}

// greet brings a page that was loaded a moment ago, or left for a while, up to date.
func (h *Inbox) greet(s *web.Stream, topic string, f Filter, shown string, may leave) error {
	n, err := h.Store.PendingAll(s.Context())
	if err != nil {
		return err
	}
	parts := []templ.Component{ui.PushBadge("approvals", n)}
	if topic == "approvals" {
		got, err := h.Store.ListAll(s.Context(), approval.Query{Status: "pending", Page: page.Ask{Limit: page.MaxLimit, Search: f.Search}})
		if err != nil {
			return err
		}
		Soonest(got.Items)
		parts = append(parts, views.PushList(h.listProps(s.Context(), got.Items, f, may)))
	}
	if topic == "approval" {
		switch it, err := h.Store.Find(s.Context(), shown); {
		case err == nil:
			parts = append(parts, views.PushCard(card.OfItem(s.Context(), it, h.look(s.Context(), it.CustomerID, may)), false))
		case fault.Of(err).Kind != fault.NotFound:
			return err
		}
	}
	return s.Swap("", parts...)
}

// changed is what one approval changes on the page.
func (h *Inbox) changed(ctx context.Context, topic string, f Filter, shown, id string, may leave) ([]templ.Component, error) {
	n, err := h.Store.PendingAll(ctx)
	if err != nil {
		return nil, err
	}
	it, err := h.Store.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	parts := []templ.Component{ui.PushBadge("approvals", n)}
	fits, err := h.fits(ctx, f, it)
	if err != nil {
		return nil, err
	}
	if topic == "approvals" && fits || topic == "approval" && shown == id {
		parts = append(parts, views.PushCard(card.OfItem(ctx, it, h.look(ctx, it.CustomerID, may)), topic == "approvals"))
	}
	return parts, nil
}

// fits says whether an approval belongs on the list: what is looked for, the database compares.
func (h *Inbox) fits(ctx context.Context, f Filter, it approval.Item) (bool, error) {
	if !f.Fits(it) || f.Search == "" {
		return f.Fits(it), nil
	}
	got, err := h.Store.ListAll(ctx, approval.Query{ID: it.ID, Page: page.Ask{Limit: 1, Search: f.Search}})
	return len(got.Items) == 1, err
}
