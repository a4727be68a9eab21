package public

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// onboard answers GET /onboard: how far the order is, live.
func (h *Handler) onboard(c echo.Context) error {
	p, err := h.progress(c)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return web.Render(c, http.StatusOK, views.NoOrder(h.frame(c)))
	}
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Onboard(h.frame(c), p))
}

// enter answers GET /onboard/enter, which a finished page asks by itself: htmx is sent to the portal as a whole page.
func (h *Handler) enter(c echo.Context) error {
	if !web.IsPartial(c) {
		return web.SeeOther(c, views.PortalPath)
	}
	c.Response().Header().Set("HX-Redirect", views.PortalPath)
	return c.NoContent(http.StatusNoContent)
}

// progress is the order of who is signed in, as the page shows it.
func (h *Handler) progress(c echo.Context) (views.Progress, error) {
	ctx, who := c.Request().Context(), session.Of(c)
	of := account.CustomerID(who.CustomerID)
	o, err := h.Orders.Of(ctx, of)
	if err != nil {
		return views.Progress{}, err
	}
	events, err := h.Orders.Events(ctx, of, o.ID, 0)
	if err != nil {
		return views.Progress{}, err
	}
	user, err := h.Accounts.User(ctx, of, account.UserID(who.UserID))
	if err != nil {
		return views.Progress{}, err
	}
	p := progressOf(o, events)
	p.Email, p.Verified = user.Email, user.Verified()
	return p, nil
}

// progressOf says where an order stands in the states that customers see.
func progressOf(o order.Order, events []order.Event) views.Progress {
	p := views.Progress{
		Number: o.Number, State: string(o.State), Reason: o.Reason, OrderedAt: o.CreatedAt,
		Plan: string(o.Plan), Price: o.Price.String(), Test: o.PaidBy == "test", Reached: map[string]time.Time{},
	}
	if plan, err := pricing.Find(o.Plan); err == nil {
		p.Plan = plan.Name
	}
	for _, s := range order.Path() {
		p.Steps = append(p.Steps, string(s))
	}
	for _, e := range events {
		if e.Kind == order.EventState {
			p.Reached[string(e.State)] = e.At
		}
	}
	p.Step = string(o.Step())
	return p
}

// lookAgain is how often an open page's order is read without a notice, which may have been lost on the way.
const lookAgain = 10 * time.Second

// follow answers GET /onboard/stream: the stepper each time the order changed, the present state first.
func (h *Handler) follow(c echo.Context) error {
	s, err := web.SSE(c)
	if err != nil {
		return err
	}
	defer s.Close()
	sub, err := h.Relay.Subscribe(s.Context(), session.Of(c).CustomerID)
	if err != nil {
		return err
	}
	defer sub.Close()
	shown := ""
	return web.Pump(s, looks(s.Context(), sub.C), func(struct{}) error {
		p, err := h.progress(c)
		if err != nil {
			return err
		}
		if mark := markOf(p); mark != shown {
			shown = mark
			return s.Swap("", views.Live(p))
		}
		return nil
	})
}

// markOf changes when, and only when, what the page shows changes.
func markOf(p views.Progress) string {
	return strings.Join([]string{p.State, p.Step, p.Reason, p.Reached[p.Step].String()}, "\x00")
}

// looks says when to read the order: at once, on each notice about it, and every now and then.
func looks(ctx context.Context, notices <-chan relay.Notice) <-chan struct{} {
	out := make(chan struct{}, 1)
	go func() {
		defer close(out)
		tick := time.NewTicker(lookAgain)
		defer tick.Stop()
		for {
			select {
			case out <- struct{}{}:
			case <-ctx.Done():
				return
			}
			if !nextLook(ctx, notices, tick.C) {
				return
			}
		}
	}()
	return out
}

// nextLook waits for a reason to look; false when there will be none.
func nextLook(ctx context.Context, notices <-chan relay.Notice, tick <-chan time.Time) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick:
			return true
		case n, ok := <-notices:
			if !ok {
				return false
			}
			if n.Kind == relay.KindOrder {
				return true
			}
		}
	}
}
