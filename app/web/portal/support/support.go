package support

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/support"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/signing"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	views "gatehouse/views/portal/support"
)

// list answers GET /app/server/support: what our staff ask for, what is open, and what was.
func (p *Pages) list(c echo.Context) error { return p.show(c, http.StatusOK, "") }

func (p *Pages) show(c echo.Context, status int, problem string) error {
	props, err := p.props(c.Request().Context(), frame.Customer(c), c.QueryParam("after"))
	if err != nil {
		return err
	}
	props.Problem = problem
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "support.title"), Topic: "support"})
	if err != nil {
		return err
	}
	outer.Failed = problem != ""
	return web.Render(c, status, views.Page(outer, props))
}

func (p *Pages) props(ctx context.Context, of account.CustomerID, after string) (views.Props, error) {
	var out views.Props
	ring, err := p.Keys.Of(ctx, of)
	if err != nil && fault.Of(err).Kind != fault.NotFound { // a server that is not there yet has no keys
		return out, err
	}
	out.Server, out.Version = string(ring.ServerID), ring.Version
	all, err := p.Windows.List(ctx, of, page.Ask{After: after})
	if err != nil {
		return out, err
	}
	for _, w := range all.Items {
		switch v := propsOf(w); w.State {
		case support.Asked:
			out.Waiting = append(out.Waiting, v)
		case support.Open:
			out.Open = append(out.Open, v)
		default:
			out.Past = append(out.Past, v)
		}
	}
	out.Older = portal.NextPage(portal.Support, url.Values{}, all.Next)
	return out, nil
}

func propsOf(w support.Window) views.Window {
	body, _ := json.Marshal(w.Body()) // strings and numbers always have JSON
	out := views.Window{
		ID: w.ID, Staff: w.Staff, Purpose: w.Purpose, Hours: w.Hours, State: string(w.State), Asked: w.AskedAt, Opened: w.OpenedAt,
		Until: w.Until, Ended: w.EndedAt, Why: w.Why, EndedBy: w.EndedBy,
		Words: approver.Words(w.SPKI), Fingerprint: approver.Fingerprint(w.SPKI), Body: string(body),
	}
	for _, k := range w.What {
		out.What = append(out.What, string(k))
	}
	return out
}

// one answers GET /app/server/support/:id: a window, with what was looked at through it.
func (p *Pages) one(c echo.Context) error {
	props, err := p.propsOfOne(c.Request().Context(), frame.Customer(c), c.Param("id"))
	if err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: props.Purpose, Topic: "support-window&id=" + props.ID, Away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.OnePage(outer, props))
}

// propsOfOne asks the server what was looked at. While it is away, the hub knows when and of what kind.
func (p *Pages) propsOfOne(ctx context.Context, of account.CustomerID, id string) (views.One, error) {
	w, err := p.Windows.Find(ctx, of, id)
	if err != nil {
		return views.One{}, err
	}
	out := views.One{Window: propsOf(w)}
	wait, cancel := frame.Asking(ctx)
	defer cancel()
	looks, err := p.Windows.Seen(wait, w)
	if frame.IsOurs(err) {
		return out, err
	}
	if out.Away = err != nil; out.Away {
		if looks, err = p.Windows.Looks(ctx, w); err != nil {
			return out, err
		}
	}
	for _, l := range looks {
		out.Looks = append(out.Looks, views.Look{Staff: l.Staff, See: string(l.See), Name: l.Name, At: l.At, Refused: l.Refused})
	}
	return out, nil
}

// open answers POST /app/server/support/:id/open, which only the script sends: it signs.
func (p *Pages) open(c echo.Context) error {
	version, sig, err := signing.Fields(c)
	if err != nil {
		return err
	}
	w, err := p.Windows.Open(c.Request().Context(), frame.Customer(c), c.Param("id"), version, sig, inbox.Decider(c), actor(c))
	return p.done(c, err, "support.now_open", "staff", w.Staff)
}

// refuse answers POST /app/server/support/:id/refuse.
func (p *Pages) refuse(c echo.Context) error {
	w, err := p.Windows.Refuse(c.Request().Context(), frame.Customer(c), c.Param("id"), actor(c))
	return p.done(c, err, "support.now_refused", "staff", w.Staff)
}

// close answers POST /app/server/support/:id/close.
func (p *Pages) close(c echo.Context) error {
	w, err := p.Windows.Close(c.Request().Context(), frame.Customer(c), c.Param("id"), actor(c))
	return p.done(c, err, "support.now_closed", "staff", w.Staff)
}

// done says what became of a form, on the list.
func (p *Pages) done(c echo.Context, err error, said i18n.Key, values ...any) error {
	if err == nil {
		frame.Said(c, said, values...)
		return frame.GoTo(c, portal.Support)
	}
	switch f := web.Told(c, err); f.Kind {
	case fault.Conflict, fault.Invalid, fault.Away, fault.Forbidden:
		return p.show(c, web.StatusOf(f.Kind), f.Public)
	}
	return err
}

func actor(c echo.Context) audit.Actor {
	who := session.Of(c)
	return audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: c.RealIP()}
}

// panel keeps the list up to date.
func (p *Pages) panel(c echo.Context, _ string) live.Topic {
	of := frame.Customer(c)
	return p.pushed(func(ctx context.Context) (templ.Component, error) {
		props, err := p.props(ctx, of, "")
		return views.Push(props), err
	})
}

// panelOfOne keeps the page of a window up to date.
func (p *Pages) panelOfOne(c echo.Context, id string) live.Topic {
	of := frame.Customer(c)
	return p.pushed(func(ctx context.Context) (templ.Component, error) {
		props, err := p.propsOfOne(ctx, of, id)
		return views.PushOne(props), err
	})
}

func (p *Pages) pushed(draw func(context.Context) (templ.Component, error)) live.Topic {
	return &live.Panel{Now: p.Now, Matters: func(n relay.Notice) bool { return n.Kind == relay.KindServer }, Draw: draw}
}
