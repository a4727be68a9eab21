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
	views "gatehouse/views/portal"
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
		get(views.Home, p.home),
		get(views.Chat, p.newest), post(views.Chat, p.send),
		get(views.Chat+"/:session", p.chat), get(views.Chat+"/agent/:agent", p.chatAgent),
		get(views.Conversations, p.conversations),
		get(views.Agents, p.agents), post(views.DefaultLevel, p.saveDefaultLevel),
		get(views.Agents+"/:agent", p.agent), post(views.Agents+"/:agent/off", p.saveOff),
		get(views.Agents+"/:agent/autonomy", p.autonomy), post(views.Agents+"/:agent/autonomy", p.saveAutonomy),
		get(views.Agents+"/:agent/external", p.external), post(views.Agents+"/:agent/external", p.saveExternal),
		get(views.Activity, p.activity),
		get("/app/runs/:id", p.run), get("/app/runs/:id/talk", p.talk), get("/app/runs/:id/evidence", p.evidence), post("/app/runs/:id/stop", p.stop),
		get(views.BackPath(":call"), p.written), post(views.BackPath(":call"), p.putBack),
		get(views.Server, p.server),
		get(views.Settings, p.settings), post(views.Zone, p.saveZone),
		{Method: http.MethodPost, Path: views.Tokens, For: web.Customer, Fresh: true, Do: p.issueToken}, // it outlives the sign-in
		post(views.Tokens+"/:id/revoke", p.revokeToken),
		{Method: http.MethodGet, Path: views.Stream, For: web.Customer, Do: p.stream, Stream: true},
	}
	routes = append(routes, get(views.Quarantine, p.quarantine), get(views.Permissions, p.permissions), post(views.Permissions, p.savePermissions), post(views.PermissionsWindow, p.closeWindow),
		get(views.Inside, p.inside), post(views.Inside, p.saveInside))
	routes = append(routes, p.keyRoutes(get, post)...)
	routes = append(routes, p.credentialRoutes(get, post)...)
	return append(routes, p.inbox.Routes()...)
}

// credentialRoutes are the pages about secrets and what their forms and script ask for.
func (p *Portal) credentialRoutes(get, post func(string, echo.HandlerFunc) web.Route) []web.Route {
	const one = views.Credentials + "/:name"
	return []web.Route{
		get(views.Credentials, p.credentials), post(views.Credentials, p.provide), post(views.CredentialsOpen, p.openSecret),
		post(views.CredentialsGenerate, p.generate), post(views.CredentialsDecline, p.decline), post(views.CredentialsShare, p.share),
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
