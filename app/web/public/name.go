package public

import (
	"context"
	"errors"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/web"
	"gatehouse/app/web/names"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// Names is what the page of an order needs of the name of its server; naming.Service has it.
type Names interface {
	Of(ctx context.Context, o order.Order) (naming.State, error)
	Check(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (naming.State, error)
}

var errNameAct = fault.New(fault.Invalid, "act", "unknown act on a name", "You cannot do that with a name. Nothing was changed.")

// actOnName answers POST /onboard/name: asks the name servers now, or takes another domain.
func (h *Handler) actOnName(c echo.Context) error {
	ctx, who := c.Request().Context(), session.Of(c)
	of := account.CustomerID(who.CustomerID)
	o, err := h.Orders.Of(ctx, of)
	if err != nil {
		return err
	}
	by := audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: c.RealIP()}
	switch c.FormValue("act") {
	case "check":
		_, err = h.Names.Check(ctx, of, o.ID, by)
		if errors.Is(err, naming.ErrSoon) {
			err = nil // the page shows what they said
		}
	case "rename":
		_, err = h.Orders.SetDomain(ctx, of, o.ID, c.FormValue("domain"), by)
	default:
		err = errNameAct
	}
	if err != nil && web.Told(c, err).Fields["domain"] != "" {
		return h.showWrongDomain(c, err)
	}
	if err != nil {
		return err
	}
	return web.SeeOther(c, views.OnboardPath)
}

// showWrongDomain shows the page again with what was typed and what is wrong with it.
func (h *Handler) showWrongDomain(c echo.Context, err error) error {
	p, pageErr := h.progress(c)
	if pageErr != nil {
		return pageErr
	}
	if p.Name == nil {
		return err
	}
	told := web.Told(c, err)
	p.Name.Domain, p.Name.Wrong = c.FormValue("domain"), told.Fields["domain"]
	return web.Render(c, web.StatusOf(told.Kind), views.Onboard(h.frame(c), p))
}

// addName adds the name of the order's server while there is something to say of it.
func (h *Handler) addName(ctx context.Context, o order.Order, p *views.Progress) error {
	if !o.Renamable() {
		return nil
	}
	s, err := h.Names.Of(ctx, o)
	if err != nil {
		return err
	}
	if p.Name = names.Props(s, o.Domain); p.Name != nil {
		p.Name.ActPath = views.OnboardNamePath
	}
	return nil
}
