package admin

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

var errNotFound = fault.New(fault.NotFound, "not-found", "no such record", "There is nothing at this address.")

// frame is the frame of a page with the figure of the menu.
func (h *Handler) frame(c echo.Context, title i18n.Key, topic, id string) (layout.Frame, error) {
	pending, err := h.Inbox.PendingAll(c.Request().Context())
	return Frame(c, title, views.StreamOf(topic, id), pending), err
}

// askOf reads which page of a list is wanted.
func askOf(c echo.Context) (page.Ask, error) {
	a := page.Ask{After: c.QueryParam("after")}
	if v := c.QueryParam("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			n = -1
		}
		a.Limit = n
	}
	return a.Clean()
}

// links are the addresses of the first and the next page.
func links(c echo.Context, after, next string) (first, further string) {
	at := func(cursor string) string {
		q := url.Values{}
		for k, v := range c.QueryParams() {
			if k != "after" {
				q[k] = v
			}
		}
		if cursor != "" {
			q.Set("after", cursor)
		}
		return (&url.URL{Path: c.Request().URL.Path, RawQuery: q.Encode()}).String()
	}
	if after != "" {
		first = at("")
	}
	if next != "" {
		further = at(next)
	}
	return first, further
}

// id is the id in the path; what is none is not found.
func id(c echo.Context) (string, error) {
	v := c.Param("id")
	if uuid.Validate(v) != nil {
		return "", errNotFound
	}
	return v, nil
}

// customers answers GET /admin/customers.
func (h *Handler) customers(c echo.Context) error {
	ask, err := askOf(c)
	if err != nil {
		return err
	}
	of, err := h.Accounts.Customers(c.Request().Context(), ask)
	if err != nil {
		return err
	}
	l := views.List[views.Customer]{}
	l.First, l.Next = links(c, ask.After, of.Next)
	for _, v := range of.Items {
		l.Items = append(l.Items, customer(v))
	}
	f, err := h.frame(c, "admin.customers.title", "", "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.CustomersPage(f, l))
}

func customer(v account.Customer) views.Customer {
	return views.Customer{ID: string(v.ID), Name: v.Name, TimeZone: v.TimeZone, Since: v.CreatedAt}
}

// customer answers GET /admin/customers/:id.
func (h *Handler) customer(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	d, err := h.customerDetail(c.Request().Context(), account.CustomerID(v))
	if err != nil {
		return err
	}
	f, err := h.frame(c, "admin.customers.title", "", "")
	if err != nil {
		return err
	}
	f.Title = d.Name
	return web.Render(c, http.StatusOK, views.CustomerPage(f, d))
}

func (h *Handler) customerDetail(ctx context.Context, of account.CustomerID) (views.CustomerDetail, error) {
	v, err := h.Accounts.Customer(ctx, of)
	if err != nil {
		return views.CustomerDetail{}, err
	}
	d := views.CustomerDetail{Customer: customer(v)}
	users, err := h.Accounts.Users(ctx, of)
	if err != nil {
		return d, err
	}
	for _, u := range users {
		d.People = append(d.People, views.Person{Name: u.Name, Email: u.Email, Role: string(u.Role), Verified: u.Verified()})
	}
	return d, h.attach(ctx, of, &d)
}

// attach adds order and server, as far as there are any.
func (h *Handler) attach(ctx context.Context, of account.CustomerID, d *views.CustomerDetail) error {
	n := h.names()
	o, err := h.Orders.Of(ctx, of)
	if err == nil {
		p, err := n.order(ctx, o)
		if err != nil {
			return err
		}
		d.Order = &p
	} else if fault.Of(err).Kind != fault.NotFound {
		return err
	}
	s, err := h.Servers.Of(ctx, of)
	if err == nil {
		p, err := n.server(ctx, s)
		if err != nil {
			return err
		}
		d.Server = &p
	} else if fault.Of(err).Kind != fault.NotFound {
		return err
	}
	return nil
}

// orders answers GET /admin/orders.
func (h *Handler) orders(c echo.Context) error {
	l, err := h.orderList(c)
	if err != nil {
		return err
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, ui.TableResults(views.OrderTable(web.Context(c), l)))
	}
	f, err := h.frame(c, "admin.orders.title", topicOrders, "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.OrdersPage(f, l))
}

func (h *Handler) orderList(c echo.Context) (views.List[views.Order], error) {
	ctx := c.Request().Context()
	l := views.List[views.Order]{State: c.QueryParam("state")}
	ask, err := askOf(c)
	if err != nil {
		return l, err
	}
	of, err := h.Orders.List(ctx, order.Filter{State: order.State(l.State)}, ask)
	if err != nil {
		return l, err
	}
	l.First, l.Next = links(c, ask.After, of.Next)
	n := h.names()
	for _, o := range of.Items {
		p, err := n.order(ctx, o)
		if err != nil {
			return l, err
		}
		l.Items = append(l.Items, p)
	}
	return l, nil
}

// servers answers GET /admin/servers.
func (h *Handler) servers(c echo.Context) error {
	l, err := h.serverList(c)
	if err != nil {
		return err
	}
	f, err := h.frame(c, "admin.servers.title", topicServers, "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ServersPage(f, l))
}

func (h *Handler) serverList(c echo.Context) (views.List[views.Server], error) {
	ctx := c.Request().Context()
	var l views.List[views.Server]
	ask, err := askOf(c)
	if err != nil {
		return l, err
	}
	of, err := h.Servers.List(ctx, ask)
	if err != nil {
		return l, err
	}
	l.First, l.Next = links(c, ask.After, of.Next)
	n := h.names()
	for _, s := range of.Items {
		p, err := n.server(ctx, s)
		if err != nil {
			return l, err
		}
		l.Items = append(l.Items, p)
	}
	return l, nil
}

// server answers GET /admin/servers/:id.
func (h *Handler) server(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	p, err := h.serverProps(c.Request().Context(), server.ID(v))
	if err != nil {
		return err
	}
	f, err := h.frame(c, "admin.servers.title", topicServer, v)
	if err != nil {
		return err
	}
	f.Title = p.Slug
	return web.Render(c, http.StatusOK, views.ServerPage(f, p))
}

func (h *Handler) serverProps(ctx context.Context, id server.ID) (views.Server, error) {
	s, err := h.Servers.Find(ctx, id)
	if err != nil {
		return views.Server{}, err
	}
	return h.names().server(ctx, s)
}
