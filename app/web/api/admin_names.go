package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/dns"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/web/session"
)

// Names is what the API needs of the names of orders' servers; naming.Service has it.
type Names interface {
	Check(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (naming.State, error)
	Make(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (naming.State, error)
}

// adminName is the name of an order's server as staff see it.
type adminName struct {
	Host     string       `json:"host"`
	Provider string       `json:"provider"`
	Right    bool         `json:"right"`
	Wanted   []dns.Record `json:"wanted"`
	Problem  string       `json:"problem,omitempty"`
	Detail   string       `json:"detail,omitempty"`
	Report   *dns.Report  `json:"report,omitempty"`
	LookedAt time.Time    `json:"looked_at,omitzero"`
	NextAt   time.Time    `json:"next_at,omitzero"`
}

// adminMakeName answers POST admin/orders/{id}/dns/create.
func (h *handler) adminMakeName(c echo.Context) error { return h.actOnName(c, h.Names.Make) }

// adminCheckName answers POST admin/orders/{id}/dns/verify.
func (h *handler) adminCheckName(c echo.Context) error { return h.actOnName(c, h.Names.Check) }

func (h *handler) actOnName(
	c echo.Context, act func(context.Context, account.CustomerID, order.ID, audit.Actor) (naming.State, error),
) error {
	ctx, who := c.Request().Context(), session.Of(c)
	o, err := h.Orders.Find(ctx, order.ID(c.Param("id")))
	if err != nil {
		return err
	}
	by := audit.Actor{Kind: audit.Staff, ID: who.StaffID, Name: who.Email, Role: who.Role, Address: c.RealIP()}
	s, err := act(ctx, o.CustomerID, o.ID, by)
	if err != nil {
		return err
	}
	out := adminName{
		Host: s.Host, Provider: s.Provider, Right: s.Right() || s.Provider == naming.Loopback, Wanted: s.Want(), Problem: string(s.Problem),
		Detail: s.Detail, Report: s.Report, LookedAt: s.LookedAt, NextAt: s.NextAt,
	}
	if s.Provider == naming.Loopback {
		out.Wanted = nil
	}
	if out.Wanted == nil {
		out.Wanted = []dns.Record{}
	}
	return c.JSON(http.StatusOK, out)
}
