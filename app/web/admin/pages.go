package admin

import (
	"context"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
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
