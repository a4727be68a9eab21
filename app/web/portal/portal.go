package portal

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/recent"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/session"
	"gatehouse/views/portal"
	accountviews "gatehouse/views/portal/account"
	credentialviews "gatehouse/views/portal/credential"
	permissionviews "gatehouse/views/portal/permission"
	teamviews "gatehouse/views/portal/team"
)

// Portal answers the customer's pages.
type Portal struct {
	Deps
	inbox    *inbox.Inbox
	names    *names
	glimpses recent.Answers[account.CustomerID, glimpse]
}

// New makes the portal, with the customer's inbox in it.
func New(d Deps) *Portal {
	p := &Portal{Deps: d, names: newNames()}
	p.inbox = inbox.New(inbox.Deps{
		Base: card.Portal, For: web.Customer, Store: d.Inbox, Servers: d.Chat, People: d.People, Frame: p.inboxFrame, Stream: streamOf,
		Agent: p.names.agent, Now: d.Now, Log: d.Log,
	})
	return p
}

// Routes are all routes below /app.
func (p *Portal) Routes() []web.Route {
	get := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodGet, Path: path, For: web.Customer, Do: do}
	}
	post := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Customer, Do: do}
	}
	routes := []web.Route{
		get(portal.Home, p.home),
		get(portal.Chat, p.newest), post(portal.Chat, p.send),
		get(portal.Chat+"/:session", p.chat), get(portal.Chat+"/agent/:agent", p.chatAgent),
		get(portal.Conversations, p.conversations),
		get(portal.Agents, p.agents), post(teamviews.DefaultLevelPath, p.saveDefaultLevel),
		get(portal.Agents+"/:agent", p.agent), post(portal.Agents+"/:agent/off", p.saveOff),
		get(portal.Agents+"/:agent/autonomy", p.autonomy), post(portal.Agents+"/:agent/autonomy", p.saveAutonomy),
		get(portal.Agents+"/:agent/external", p.external), post(portal.Agents+"/:agent/external", p.saveExternal),
		get(portal.Activity, p.activity),
		get("/app/runs/:id", p.run), get("/app/runs/:id/talk", p.talk), get("/app/runs/:id/evidence", p.evidence), post("/app/runs/:id/stop", p.stop),
		get(portal.PutBackPath(":call"), p.written), post(portal.PutBackPath(":call"), p.putBack),
		get(portal.Server, p.server),
		get(portal.Settings, p.settings), post(accountviews.ZonePath, p.saveZone),
		{Method: http.MethodPost, Path: accountviews.TokensPath, For: web.Customer, Fresh: true, Do: p.issueToken}, // it outlives the sign-in
		post(accountviews.TokensPath+"/:id/revoke", p.revokeToken),
		{Method: http.MethodGet, Path: portal.Stream, For: web.Customer, Do: p.stream, Stream: true},
	}
	routes = append(routes, get(permissionviews.QuarantinePath, p.quarantine), get(portal.Permissions, p.permissions), post(portal.Permissions, p.savePermissions), post(permissionviews.CloseWindowPath, p.closeWindow),
		get(permissionviews.InsidePath, p.inside), post(permissionviews.InsidePath, p.saveInside))
	routes = append(routes, p.keyRoutes(get, post)...)
	routes = append(routes, p.credentialRoutes(get, post)...)
	return append(routes, p.inbox.Routes()...)
}

// credentialRoutes are the pages about secrets and what their forms and script ask for.
func (p *Portal) credentialRoutes(get, post func(string, echo.HandlerFunc) web.Route) []web.Route {
	const one = portal.Credentials + "/:name"
	return []web.Route{
		get(portal.Credentials, p.credentials), post(portal.Credentials, p.provide), post(credentialviews.OpenPath, p.openSecret),
		post(credentialviews.GeneratePath, p.generate), post(credentialviews.DeclinePath, p.decline), post(credentialviews.SharePath, p.share),
		get(one, p.credential), post(one+"/reveal", p.reveal), post(one+"/rotate", p.rotate), post(one+"/rollback", p.rollback), post(one+"/bind", p.bind),
	}
}

// pageWait is how long a page waits for the customer's server; then it is shown without what only the server has.
const pageWait = 2500 * time.Millisecond

// reading is the context in which a page reads from the server.
func reading(c echo.Context) (context.Context, context.CancelFunc) {
	return asking(c.Request().Context())
}

// asking is the context of questions to the server alone: what is read here afterwards needs one that is not used up.
func asking(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, pageWait)
}

func customer(c echo.Context) account.CustomerID {
	return account.CustomerID(session.Of(c).CustomerID)
}

// origin is who acts and from where, for the server's receipts.
func origin(c echo.Context) wire.Origin {
	who := session.Of(c)
	return wire.Origin{UserID: who.UserID, Email: who.Email, Channel: "portal", Address: c.RealIP()}
}
