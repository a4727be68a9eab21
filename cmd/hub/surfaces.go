package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/attention"
	"gatehouse/app/audit"
	"gatehouse/app/channel"
	"gatehouse/app/export"
	"gatehouse/app/file"
	"gatehouse/app/hook"
	"gatehouse/app/margin"
	"gatehouse/app/memory"
	"gatehouse/app/permission"
	"gatehouse/app/schedule"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/takeout"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/admin"
	"gatehouse/app/web/agentlink"
	"gatehouse/app/web/api"
	hookweb "gatehouse/app/web/hook"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/portal"
	"gatehouse/app/web/public"
	"gatehouse/app/welcome"
	"gatehouse/db"
	"gatehouse/jobs"
	console "gatehouse/views/admin"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// surfaces are the routes of everything that the hub serves.
func (p *parts) surfaces(links *agentlink.Handler, log *slog.Logger) []web.Route {
	doors := &db.ChannelHooks{DB: p.db}
	hooks, channels := &hook.Service{Peer: p.chat.Peer, Doors: doors}, &channel.Service{Peer: p.chat.Peer, Hooks: doors}
	front := &public.Handler{
		Accounts: p.accounts, Seconds: p.seconds,
		Staff: p.staff, Orders: p.orders, Payments: p.payments, Keys: p.keys, Sessions: p.sessions, Relay: p.relay, Secrets: p.secrets,
		Regain: p.regain,
		Checks: p.checks(), Legal: p.legal, Tasks: p.tasks(), Names: p.names, Passkeys: p.passkeys, Now: time.Now,
	}
	ours := &admin.Handler{
		Orders: p.orders, Servers: p.servers, Accounts: p.accounts, Keys: p.keys, Inbox: p.inbox, Live: p.relay, Now: time.Now, Log: log,
		Commands: p.commands, Machines: p.atProviders,
		Pool: p.pool, Rentals: p.providers, Setups: p.setups, Records: p.records(), Tokens: &staff.Tokens{Keys: p.tokens}, Jobs: p.jobs,
		Staff: p.staff, Sessions: p.sessions, Places: p.orders.Rules.Places, Names: p.names, Codes: p.codes,
		Passkeys: p.passkeys,
		Exports:  takeout.Desk{Record: &db.Trail{DB: p.db}, Now: time.Now},
		Needs:    p.needs(),
		Settings: p.settings, Clientele: p.clientele, Support: p.support, Regain: p.regain, Rings: p.keys, Payments: p.payments,
		Bills: p.billing, Rates: p.rates, Closing: p.closing, Analyst: p.analyst,
		Margins: p.margins(),
	}
	customers := portal.Routes(portal.Deps{
		Chat: p.chat, Inbox: p.inbox, Keys: p.keys, Servers: p.servers, Consents: p.consents, Team: p.team, Credentials: p.secrets,
		Orders:      p.orders,
		Permissions: &permission.Service{Peer: p.chat.Peer}, Files: &file.Service{Peer: p.chat.Peer},
		Memory: &memory.Service{Peer: p.chat.Peer}, Crew: p.crew(log), Schedules: p.schedules(), Hooks: hooks, Channels: channels,
		Archives: &export.Service{Peer: p.chat.Peer}, Known: &db.Known{DB: p.db},
		Live: p.relay, Tokens: p.tokens,
		Tasks: p.tasks(), Support: p.support, Regain: p.regain, Bills: p.billing, Payments: p.payments,
		Usage:  p.used,
		People: p.accounts, Seconds: p.seconds, Passkeys: p.passkeys, Devices: p.push, Now: time.Now, Log: log,
	})
	routes := front.Routes()
	routes = append(routes, customers...)
	routes = append(routes, p.staffInbox(log).Routes()...)
	routes = append(routes, ours.Routes()...)
	routes = append(routes, links.Routes()...)
	routes = append(routes, (&hookweb.Handler{Stripe: p.payments, Hooks: hooks, Messengers: hooks}).Routes()...)
	return append(routes, api.Routes(api.Deps{
		Chat: p.chat, Inbox: p.inbox, Keys: p.keys, Servers: p.servers, Commands: p.commands, Orders: p.orders, Clientele: p.clientele,
		People: p.accounts, Replays: p.firstSaid, Now: time.Now, Records: p.records(), Jobs: p.jobs, Staff: p.staff, Names: p.names,
		Codes: p.codes, Settings: p.settings, Machines: p.atProviders, Support: p.support, Bills: p.billing,
		Usage: p.used, Memory: &memory.Service{Peer: p.chat.Peer}, Crew: p.crew(log), Tasks: p.tasks(), Team: p.team, Analyst: p.analyst,
		Margins: p.margins(), Schedules: p.schedules(), Hooks: hooks, Channels: channels, EventRules: hooks,
		Providers: p.providers, Pool: p.pool,
		Needs: p.needs(),
	})...)
}

// crew is what owners do with which agents there are.
func (p *parts) crew(log *slog.Logger) *team.Crew {
	return &team.Crew{Peer: p.chat.Peer, Record: &db.Trail{DB: p.db}, Live: p.relay, Begin: p.team.Change, Now: time.Now, Log: log}
}

// schedules is what teams are to do at its time.
func (p *parts) schedules() *schedule.Service { return &schedule.Service{Peer: p.chat.Peer} }

// needs is what waits for one of our staff.
func (p *parts) needs() *attention.Service {
	return &attention.Service{Store: &db.Attention{DB: p.db}, Now: time.Now, Promised: p.promised}
}

// margins is what customers cost and bring in.
func (p *parts) margins() *margin.Service {
	return &margin.Service{Store: &db.Margins{DB: p.db}, Books: p.billing, Now: time.Now}
}

// records is the record of changes.
func (p *parts) records() *audit.Service {
	return &audit.Service{Reader: p.audit, Record: &db.Trail{DB: p.db}, Now: time.Now}
}

// tasks are the first tasks that new customers are offered.
func (p *parts) tasks() *welcome.Service {
	return &welcome.Service{Store: &db.FirstTasks{DB: p.db}, Now: time.Now}
}

// staffInbox is the inbox in the console: the approvals of all customers, without their contents.
func (p *parts) staffInbox(log *slog.Logger) *inbox.Inbox {
	return inbox.New(inbox.Deps{
		Base: console.ApprovalsPath, For: web.Staff, Store: p.inbox, Live: p.relay, Keys: p.keys, Now: time.Now, Log: log,
		KeysAt: func(id server.ID) string { return console.KeysOf(string(id)) },
		Agent:  func(_ context.Context, _ account.CustomerID, id string) ui.Agent { return card.Unread(id) },
		Frame: func(c echo.Context, title, stream string) (layout.Frame, error) {
			n, err := p.inbox.PendingAll(c.Request().Context())
			f := admin.Frame(c, "admin.nav.approvals", stream, n)
			f.Title = title
			return f, err
		},
	})
}

// checks are what the status page asks.
func (p *parts) checks() []public.Check {
	return []public.Check{
		{Name: "database", Ask: p.db.Pool.Ping},
		{Name: "live", Ask: func(context.Context) error { return p.relay.Ready() }},
		{Name: "queue", Ask: func(ctx context.Context) error { return jobs.Moves(ctx, p.db.Pool) }},
	}
}

// newLinks is the hub's end of the links to servers.
func (p *parts) newLinks(cfg config, log *slog.Logger) *agentlink.Handler {
	return agentlink.New(agentlink.Deps{
		Origin: cfg.PublicURL, Servers: p.servers, Links: p.links, Approvals: p.inbox, Receipts: p.receipts, Configs: p.team, Approvers: p.keys,
		Support: p.support, Usage: p.usage, Alerts: p.alerts, Replays: p.firstSaid, Relay: p.relay, Now: time.Now, Log: log,
	})
}
