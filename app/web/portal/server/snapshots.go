package server

import (
	"context"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/machine"
	"gatehouse/app/server"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/portal"
	views "gatehouse/views/portal/server"
)

// Consents lets owners agree to snapshots, and take that back; machine.Consents does.
type Consents interface {
	Of(ctx context.Context, of account.CustomerID, srv server.Server) (machine.Agreement, error)
	Agree(ctx context.Context, of account.CustomerID, by audit.Actor) error
	Withdraw(ctx context.Context, of account.CustomerID, by audit.Actor) error
}

// snapshotRoutes take the owner's word about snapshots. To agree lets our staff copy the whole disk, so it wants a fresh sign-in.
func (p *Pages) snapshotRoutes() []web.Route {
	agree := frame.Post(views.AgreePath, account.Manage, p.agree)
	agree.Fresh = true
	return []web.Route{agree, frame.Post(views.WithdrawPath, account.Manage, p.withdraw)}
}

// snapshots says how it stands with the snapshots of the customer's server.
func (p *Pages) snapshots(c echo.Context) (views.SnapshotsProps, error) {
	ctx, of := c.Request().Context(), frame.Customer(c)
	srv, err := p.Frames.Server(ctx, of)
	if err != nil || srv.ID == "" {
		return views.SnapshotsProps{}, err
	}
	a, err := p.Consents.Of(ctx, of, srv)
	return views.SnapshotsProps{
		Shown: true, Can: a.Can, Since: a.Since, Copies: a.Copies, Newest: a.Newest, Owner: session.Of(c).Rights().May(account.Manage),
	}, err
}

// agree answers POST /app/server/snapshots/agree.
func (p *Pages) agree(c echo.Context) error {
	if err := p.Consents.Agree(c.Request().Context(), frame.Customer(c), actor(c)); err != nil {
		return err
	}
	frame.Said(c, "snapshot.said_agreed")
	return web.SeeOther(c, portal.Server)
}

// withdraw answers POST /app/server/snapshots/withdraw.
func (p *Pages) withdraw(c echo.Context) error {
	if err := p.Consents.Withdraw(c.Request().Context(), frame.Customer(c), actor(c)); err != nil {
		return err
	}
	frame.Said(c, "snapshot.said_withdrawn")
	return web.SeeOther(c, portal.Server)
}

// actor is who a change is recorded as.
func actor(c echo.Context) audit.Actor {
	who := session.Of(c)
	return audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: c.RealIP()}
}
