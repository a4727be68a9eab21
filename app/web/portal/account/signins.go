package account

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/public"

	views "gatehouse/views/portal/account"
)

// signInRoutes are the page of how one signs in and its forms.
func (p *Pages) signInRoutes() []web.Route {
	return []web.Route{
		frame.Get(views.SignInsPath, account.Look, p.signIns),
		frame.Post(views.SignInsPath+"/:id/end", account.Look, p.endOne), frame.Post(views.EndOthersPath, account.Look, p.endOthers),
	}
}

// signIns answers GET /app/settings/sign-in: how the reader signs in, and where they are signed in.
func (p *Pages) signIns(c echo.Context) error {
	return p.showSignIns(c, http.StatusOK, views.SignInsProps{})
}

// showSignIns fills props in and shows them; what is set already is what a form brought.
func (p *Pages) showSignIns(c echo.Context, status int, props views.SignInsProps) error {
	all, err := session.List(c)
	if err != nil {
		return err
	}
	here := session.Of(c).SigninID
	for _, s := range all {
		props.Signins = append(props.Signins, views.SigninProps{
			ID: s.ID, Device: deviceOf(web.Context(c), s), Address: s.Address, Since: s.CreatedAt, Seen: s.SeenAt, Here: s.ID == here,
		})
	}
	step, err := p.Seconds.Of(c.Request().Context(), frame.Customer(c), reader(c))
	if err != nil {
		return err
	}
	props.CodeOn, props.CodesLeft = step.On(), len(step.Backup)
	if props.Passkeys, err = p.passkeys(c); err != nil {
		return err
	}
	props.SignOutAll = public.SignOutAllPath
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.signin.title")})
	if err != nil {
		return err
	}
	outer.Failed = len(props.Problems) > 0
	return web.Render(c, status, views.SignInsPage(outer, props))
}

// deviceOf is a browser in words.
func deviceOf(ctx context.Context, s signin.Signin) string {
	switch browser, system := s.Device(); {
	case browser != "" && system != "":
		return i18n.T(ctx, "portal.signin.browser_on", "browser", browser, "system", system)
	case browser+system != "":
		return browser + system
	}
	return i18n.T(ctx, "portal.signin.unknown")
}

// errSigninGone says that there is no such sign-in any more.
var errSigninGone = fault.New(fault.NotFound, "no-sign-in", "no such sign-in of the person",
	"This sign-in has ended already. Open Settings, Signing in, to see the others.")

// endOne answers POST /app/settings/sign-in/:id/end.
func (p *Pages) endOne(c echo.Context) error {
	id := c.Param("id")
	if uuid.Validate(id) != nil {
		return errSigninGone
	}
	n, err := session.End(c, signin.Which{Only: id}, signinEntry(c, id))
	switch {
	case err != nil:
		return err
	case n == 0:
		return errSigninGone
	case id == session.Of(c).SigninID:
		return web.SeeOther(c, public.SignedOutPath)
	}
	frame.Said(c, "portal.signin.now_ended")
	return web.SeeOther(c, views.SignInsPath)
}

// endOthers answers POST /app/settings/sign-in/end-others.
func (p *Pages) endOthers(c echo.Context) error {
	here := session.Of(c).SigninID
	n, err := session.End(c, signin.Which{But: here}, signinEntry(c, ""))
	if err != nil {
		return err
	}
	if n == 0 {
		frame.Said(c, "portal.signin.no_others")
	} else {
		frame.Said(c, "portal.signin.now_alone")
	}
	return web.SeeOther(c, views.SignInsPath)
}

func signinEntry(c echo.Context, id string) audit.Entry {
	return audit.Entry{By: actor(c), CustomerID: string(frame.Customer(c)), Action: "signin.end", Target: id}
}
