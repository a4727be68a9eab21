package admin

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
)

var errNotFound = fault.New(fault.NotFound, "not-found", "no such record", "There is no page at this address.")

// frame is the frame of a page with the figure of the menu.
func (h *Handler) frame(c echo.Context, title i18n.Key, topic, id string) (layout.Frame, error) {
	pending, err := h.Inbox.PendingAll(c.Request().Context())
	return Frame(c, title, views.StreamOf(topic, id), pending), err
}

// id is the id in the path; what is none is not found.
func id(c echo.Context) (string, error) {
	v := c.Param("id")
	if uuid.Validate(v) != nil {
		return "", errNotFound
	}
	return v, nil
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
	if d.Audit, err = h.newestOf(c, d.ID); err != nil {
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
	o, err := h.Orders.Of(ctx, of)
	if err == nil {
		o.CustomerName = d.Name
		p := orderProps(o)
		d.Order = &p
	} else if fault.Of(err).Kind != fault.NotFound {
		return err
	}
	s, err := h.Servers.Of(ctx, of)
	if err == nil {
		s.CustomerName = d.Name
		p := serverProps(s)
		d.Server = &p
	} else if fault.Of(err).Kind != fault.NotFound {
		return err
	}
	return nil
}
