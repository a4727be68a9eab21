package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/session"
)

var errNoOrder = fault.New(fault.NotFound, "not-found", "no such order", "There is no such order.")

func adminOrderOf(v order.Order) adminOrder {
	return adminOrder{
		ID: string(
			v.ID,
		), Number: v.Number, CustomerID: string(v.CustomerID), Plan: string(v.Plan), Mode: string(v.Mode), State: string(v.State),
		FailedStep: string(v.FailedStep), Reason: v.Reason, ServerID: v.ServerID, Provider: v.Provider, Standing: string(v.Standing),
		Replaces: string(
			v.Replaces,
		), EndReason: string(v.EndReason), ReleaseAt: v.ReleaseAt, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
	}
}

// orderAt finds the order in the path.
func (h *handler) orderAt(c echo.Context) (order.Order, error) {
	id := c.Param("id")
	if uuid.Validate(id) != nil {
		return order.Order{}, errNoOrder
	}
	return h.Orders.Find(c.Request().Context(), order.ID(id))
}

// adminOrder answers GET admin/orders/{id}.
func (h *handler) adminOrder(c echo.Context) error {
	o, err := h.orderAt(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, adminOrderOf(o))
}

// adminOrderAct answers POST admin/orders/{id}/transition.
func (h *handler) adminOrderAct(c echo.Context) error {
	o, err := h.orderAt(c)
	if err != nil {
		return err
	}
	var in struct {
		Action   string          `json:"action"`
		Reason   order.EndReason `json:"reason"`
		Provider string          `json:"provider"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	who := session.Of(c)
	by := audit.Actor{Kind: audit.Staff, ID: who.StaffID, Name: who.Email, Role: who.Role, Address: c.RealIP()}
	act := order.Act{Name: in.Action, Reason: in.Reason, Provider: in.Provider}
	now, err := h.Orders.Do(c.Request().Context(), o.CustomerID, o.ID, act, by)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, adminOrderOf(now))
}

// adminAlerts are the orders that need one of our staff.
type adminAlerts struct {
	Total int          `json:"total"`
	Items []adminAlert `json:"items"`
}

type adminAlert struct {
	Why   string     `json:"why"` // failed, late
	Order adminOrder `json:"order"`
}

// maxAlerts is the most orders that one answer holds.
const maxAlerts = 100

// adminOrderAlerts answers GET admin/orders/alerts.
func (h *handler) adminOrderAlerts(c echo.Context) error {
	alerts, total, err := h.Orders.Alerts(c.Request().Context(), maxAlerts)
	if err != nil {
		return err
	}
	out := adminAlerts{Total: total, Items: []adminAlert{}}
	for _, a := range alerts {
		why := "failed"
		if a.Late {
			why = "late"
		}
		out.Items = append(out.Items, adminAlert{Why: why, Order: adminOrderOf(a.Order)})
	}
	return c.JSON(http.StatusOK, out)
}

// adminLines are lines of the log of an order. Next is what to ask for after them.
type adminLines struct {
	Items []adminLine `json:"items"`
	Next  int64       `json:"next"`
}

type adminLine struct {
	N     int64     `json:"n"`
	At    time.Time `json:"at"`
	State string    `json:"state"`
	Level string    `json:"level,omitempty"`
	Text  string    `json:"text"`
}

// adminOrderLog answers GET admin/orders/{id}/logs.
func (h *handler) adminOrderLog(c echo.Context) error {
	o, err := h.orderAt(c)
	if err != nil {
		return err
	}
	f := order.LineFilter{Search: c.QueryParam("q")}
	for name, into := range map[string]*int64{"after": &f.After, "before": &f.Before} {
		if v := c.QueryParam(name); v != "" {
			if *into, err = strconv.ParseInt(v, 10, 64); err != nil || *into < 0 {
				return jsonbody.Bad("The parameter " + name + " is the number of a line.")
			}
		}
	}
	lines, err := h.Orders.Lines(c.Request().Context(), o.ID, f)
	if err != nil {
		return err
	}
	out := adminLines{Items: []adminLine{}, Next: f.After}
	for _, l := range lines {
		out.Items = append(out.Items, adminLine{N: l.ID, At: l.At, State: string(l.State), Level: l.Level, Text: l.Text})
		out.Next = l.ID
	}
	return c.JSON(http.StatusOK, out)
}
