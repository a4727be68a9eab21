package public

import (
	"context"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// callOff answers POST /onboard/cancel: the customer no longer wants to wait.
func (h *Handler) callOff(c echo.Context) error { return h.change(c, h.Orders.CallOff) }

// keep answers POST /onboard/keep: the customer stays after all.
func (h *Handler) keep(c echo.Context) error { return h.change(c, h.Orders.Keep) }

func (h *Handler) change(
	c echo.Context, do func(context.Context, account.CustomerID, order.ID, audit.Actor) (order.Order, error),
) error {
	ctx, who := c.Request().Context(), session.Of(c)
	of := account.CustomerID(who.CustomerID)
	o, err := h.Orders.Of(ctx, of)
	if err != nil {
		return err
	}
	by := audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: c.RealIP()}
	if _, err := do(ctx, of, o.ID, by); err != nil {
		return err
	}
	return web.SeeOther(c, views.OnboardPath)
}
