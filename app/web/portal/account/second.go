package account

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/account"
)

// Seconds are the codes asked at sign-in; account.Seconds does.
type Seconds interface {
	Of(ctx context.Context, of account.CustomerID, id account.UserID) (account.Second, error)
	Begin(ctx context.Context, of account.CustomerID, id account.UserID, email string) error
	Confirm(ctx context.Context, of account.CustomerID, id account.UserID, code string, by audit.Actor) ([]string, error)
	Renew(ctx context.Context, of account.CustomerID, id account.UserID, by audit.Actor) ([]string, error)
	Off(ctx context.Context, of account.CustomerID, id account.UserID, by audit.Actor) error
}

// secondRoutes are the forms of the second step. Each asks for a sign-in of the last ten minutes: who finds an open browser
// shuts nobody out and lets nobody in.
func (p *Pages) secondRoutes() []web.Route {
	post := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Customer, Right: account.Look, Fresh: true, Do: do}
	}
	return []web.Route{
		frame.Get(views.SecondPath, account.Look, p.second), post(views.SecondPath, p.beginSecond),
		post(views.SecondConfirmPath, p.confirmSecond),
		post(views.BackupPath, p.renewBackup), post(views.SecondOffPath, p.secondOff),
	}
}

// beginSecond answers POST /app/settings/sign-in/code.
func (p *Pages) beginSecond(c echo.Context) error {
	if err := p.Seconds.Begin(c.Request().Context(), frame.Customer(c), reader(c), session.Of(c).Email); err != nil {
		return err
	}
	return web.SeeOther(c, views.SecondPath)
}

// second answers GET /app/settings/sign-in/code: what the app reads, and the field for its first code.
func (p *Pages) second(c echo.Context) error { return p.showSecond(c, http.StatusOK, "") }

func (p *Pages) showSecond(c echo.Context, status int, problem string) error {
	step, err := p.Seconds.Of(c.Request().Context(), frame.Customer(c), reader(c))
	if err != nil {
		return err
	}
	if step.On() || step.Factor.Secret == "" {
		return web.SeeOther(c, views.SignInsPath)
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.second.title")})
	if err != nil {
		return err
	}
	outer.Failed = problem != ""
	return web.Render(c, status, views.SecondPage(outer, views.SecondProps{
		Address: step.Factor.URL(session.Of(c).Email), Typed: views.InGroups(step.Factor.Secret), Problem: problem,
	}))
}

// confirmSecond answers POST /app/settings/sign-in/code/confirm. The page that answers is the only place where the backup
// codes ever stand.
func (p *Pages) confirmSecond(c echo.Context) error {
	codes, err := p.Seconds.Confirm(c.Request().Context(), frame.Customer(c), reader(c), c.FormValue("code"), actor(c))
	if f := web.Told(c, err); err != nil && (f.Kind == fault.Unauthorized || f.Kind == fault.TooMany) {
		return p.showSecond(c, web.StatusOf(fault.Invalid), f.Public)
	}
	if err != nil {
		return err
	}
	return p.showCodes(c, codes, "portal.second.now_on")
}

// renewBackup answers POST /app/settings/sign-in/backup-codes.
func (p *Pages) renewBackup(c echo.Context) error {
	codes, err := p.Seconds.Renew(c.Request().Context(), frame.Customer(c), reader(c), actor(c))
	if err != nil {
		return err
	}
	return p.showCodes(c, codes, "portal.second.now_renewed")
}

func (p *Pages) showCodes(c echo.Context, codes []string, said i18n.Key) error {
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.second.codes")})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.CodesPage(outer, i18n.T(web.Context(c), said), codes))
}

// secondOff answers POST /app/settings/sign-in/code-off.
func (p *Pages) secondOff(c echo.Context) error {
	if err := p.Seconds.Off(c.Request().Context(), frame.Customer(c), reader(c), actor(c)); err != nil {
		return err
	}
	frame.Said(c, "portal.second.now_off")
	return web.SeeOther(c, views.SignInsPath)
}
