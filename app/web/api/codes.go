package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/pool"
	"gatehouse/app/staff"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/once"
)

// Codes mails codes for acts that nobody can take back; staff.Codes does.
type Codes interface {
	Ask(ctx context.Context, by audit.Actor, d staff.Destroying) error
}

// codeHeader carries a mailed code.
const codeHeader = "Gatehouse-Code"

// coded lets a request be confirmed with a mailed code.
func coded(do echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if typed := c.Request().Header.Get(codeHeader); typed != "" {
			c.SetRequest(c.Request().WithContext(staff.WithCode(c.Request().Context(), typed)))
		}
		return do(c)
	}
}

// onceCoded is once for what may want a code: a refusal is not kept, so that the same request can come again with the code.
func (h *handler) onceCoded() once.Guard {
	g := h.once()
	g.Keep = func(status int) bool { return status != http.StatusForbidden && once.Answered(status) }
	return g
}

// askedCode is the body of POST admin/codes, and its answer.
type askedCode struct {
	Action string `json:"action"`
	Object string `json:"object"`
}

// askCode answers POST admin/codes: a code for one act is mailed to whose token it is.
func (h *handler) askCode(c echo.Context) error {
	var in askedCode
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if in.Action != staff.WipeNetcup && uuid.Validate(in.Object) != nil {
		return jsonbody.Bad("object must be the id of what the act is on.")
	}
	d, err := h.destroying(c.Request().Context(), in)
	if err != nil {
		return err
	}
	if err := h.Codes.Ask(c.Request().Context(), clerk(c), d); err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, in)
}

// destroying is the act that a code is asked for, with the name of what it is on. An action that there is not is left to Codes.
func (h *handler) destroying(ctx context.Context, in askedCode) (staff.Destroying, error) {
	d := staff.Destroying{Action: in.Action, Object: in.Object}
	act, ofOrder := strings.CutPrefix(in.Action, "order.")
	switch {
	case ofOrder:
		o, err := h.Orders.Find(ctx, order.ID(in.Object))
		if err != nil {
			return d, err
		}
		d = order.Destroying(o, act)
	case strings.HasPrefix(in.Action, "machine."):
		return h.Machines.Destroying(ctx, in.Action, in.Object)
	case in.Action == staff.WipeNetcup:
		return h.Providers.Destroying(ctx, in.Object)
	case in.Action == staff.RemoveMachine, in.Action == staff.WipePool:
		m, err := h.Pool.Get(ctx, pool.ID(in.Object))
		if err != nil {
			return d, err
		}
		d.Name = m.Name
	case in.Action == staff.SwitchOff:
		m, err := h.Staff.Find(ctx, staff.ID(in.Object))
		if err != nil {
			return d, err
		}
		d.Name = m.Email
	}
	return d, nil
}
