package public

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/app/web/firsttask"
	"gatehouse/app/web/session"
	settings "gatehouse/views/portal/account"
	views "gatehouse/views/public"
	"gatehouse/views/ui"
	"gatehouse/views/welcome"
)

// onboard answers GET /onboard: how far the order is, live.
func (h *Handler) onboard(c echo.Context) error {
	p, err := h.progress(c)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return h.orPay(c)
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
	if p.Owes, err = h.Orders.Owes(ctx, o); err != nil {
		return p, err
	}
	if err := h.addName(ctx, o, &p); err != nil {
		return p, err
	}
	if o.State == order.Fulfilled && p.Keyed {
		p.First, err = h.firstKey(ctx, o)
	}
	if err != nil || o.State != order.Fulfilled {
		return p, err
	}
	p.Tasks, err = h.tasks(ctx, of)
	return p, err
}

// tasks are the first tasks that are still shown.
func (h *Handler) tasks(ctx context.Context, of account.CustomerID) (welcome.Props, error) {
	state, err := h.Tasks.Of(ctx, of)
	if err != nil {
		return welcome.Props{}, err
	}
	return firsttask.Props(ctx, state, state.Shown()), nil
}

// firstKey is what the browser that ordered needs to take its key into use: what the server itself says of its keys. It is
// nil until the server has said it.
func (h *Handler) firstKey(ctx context.Context, o order.Order) (*views.FirstKey, error) {
	ring, err := h.Keys.Of(ctx, o.CustomerID)
	if err != nil || ring.Vouched == nil || string(ring.ServerID) != o.ServerID {
		if fault.Of(err).Kind == fault.NotFound {
			err = nil // the server was cut off since
		}
		return nil, err
	}
	list, err := wire.KeyList(ring.Keys)
	if err != nil {
		return nil, err
	}
	out := &views.FirstKey{
		ID: wire.ApproverKeyIDOf(o.ApproverKey), Server: o.ServerID, List: string(list), Card: ring.Vouched.Key, Sig: ring.Vouched.Sig,
		Words: approver.Words(o.ApproverKey), CardWords: approver.CardWords(ring.Vouched.Key),
	}
	if r := ring.Recovery; r != nil {
		out.Recovery = &ui.Recovery{
			Server: o.ServerID, Card: ring.Vouched.Key, KeyID: r.KeyID, Box: string(r.Box), Sig: r.Sig, Kept: settings.RecoveryKeptPath,
		}
	}
	return out, nil
}

// progressOf says where an order stands in the states that customers see.
func progressOf(o order.Order, events []order.Event) views.Progress {
	p := views.Progress{
		Number: o.Number, State: string(o.State), Reason: o.Reason, OrderedAt: o.CreatedAt,
		Plan: string(o.Plan), Price: int64(o.Price), Test: o.PaidBy == "test", Keyed: o.ApproverKey != "",
		Reached: map[string]time.Time{},
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
	if step := o.Step(); o.State == order.Failed && step.GivesBack() {
		p.State = p.Step // what went wrong there is ours to mend
	}
	p.CanCallOff = (o.Can("cancel") || o.Can("stop")) && o.Standing == order.Main
	p.CanKeep, p.EndsAt = o.Keepable(), o.ReleaseAt
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
	mark := []string{strconv.FormatInt(p.Number, 10), p.State, p.Step, p.Reason, p.Reached[p.Step].String()}
	if p.First != nil { // another server may have taken the place of the one that is shown
		mark = append(mark, p.First.Server, p.First.Card, p.First.List, p.First.Sig)
	}
	if p.Name != nil {
		mark = append(mark, p.Name.Host, p.Name.LookedAt.String(), p.Name.NextAt.String(), strconv.FormatBool(p.Name.Known))
	}
	return strings.Join(mark, "\x00")
}

// looks says when to read the order: at once, on each notice about it or its server, and every now and then.
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
			if n.Kind == relay.KindOrder || n.Kind == relay.KindServer {
				return true
			}
		}
	}
}
