package admin

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// home answers GET /admin: what needs one of us now.
func (h *Handler) home(c echo.Context) error {
	p, err := h.homeProps(c.Request().Context())
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.HomePage(Frame(c, "admin.home.title", views.StreamOf(topicHome, ""), p.Pending), p))
}

func (h *Handler) homeProps(ctx context.Context) (p views.Home, err error) {
	if p.Pending, err = h.Inbox.PendingAll(ctx); err != nil {
		return p, err
	}
	customers, err := h.Accounts.Customers(ctx, page.Ask{Limit: page.MaxLimit})
	if err != nil {
		return p, err
	}
	p.Customers, p.More = len(customers.Items), customers.Next != ""
	if err := h.homeOrders(ctx, &p); err != nil {
		return p, err
	}
	return p, h.homeServers(ctx, &p)
}

func (h *Handler) homeOrders(ctx context.Context, p *views.Home) error {
	orders, err := h.Orders.List(ctx, order.Filter{}, page.Ask{Limit: page.MaxLimit})
	if err != nil {
		return err
	}
	for _, o := range orders.Items {
		switch {
		case o.State == order.Failed:
			p.Failed = append(p.Failed, orderProps(o))
		case o.State.Live():
			p.Underway = append(p.Underway, orderProps(o))
		}
	}
	return nil
}

func (h *Handler) homeServers(ctx context.Context, p *views.Home) error {
	servers, err := h.Servers.List(ctx, server.Filter{}, page.Ask{Limit: page.MaxLimit})
	if err != nil {
		return err
	}
	p.Servers, p.More = len(servers.Items), p.More || servers.Next != ""
	for _, s := range servers.Items {
		if s.State == server.Degraded || s.State == server.Offline {
			p.Away = append(p.Away, serverProps(s))
		}
	}
	return nil
}
