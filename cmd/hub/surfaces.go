package main

import (
	"context"
	"log/slog"
	"time"

	"gatehouse/app/web"
	"gatehouse/app/web/admin"
	"gatehouse/app/web/agentlink"
	"gatehouse/app/web/api"
	"gatehouse/app/web/public"
	"gatehouse/jobs"
)

// surfaces are the routes of everything that the hub serves.
func (p *parts) surfaces(links *agentlink.Handler, log *slog.Logger) []web.Route {
	front := &public.Handler{
		Accounts: p.accounts, Staff: p.staff, Orders: p.orders, Sessions: p.sessions, Relay: p.relay, Checks: p.checks(), Now: time.Now,
	}
	console := &admin.Handler{
		Orders: p.orders, Servers: p.servers, Accounts: p.accounts, Inbox: p.inbox, Live: p.relay, Now: time.Now, Log: log,
	}
	routes := front.Routes()
	routes = append(routes, console.Routes()...)
	routes = append(routes, links.Routes()...)
	return append(routes, api.Routes(api.Deps{
		Chat: p.chat, Inbox: p.inbox, Servers: p.servers, Orders: p.orders, Customers: p.accounts, Replays: p.firstSaid, Now: time.Now,
	})...)
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
		Origin: cfg.PublicURL, Servers: p.servers, Links: p.links, Approvals: p.inbox, Receipts: p.receipts, Configs: p.team,
		Alerts: p.alerts, Relay: p.relay, Now: time.Now, Log: log,
	})
}
