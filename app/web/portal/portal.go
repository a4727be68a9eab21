package portal

import (
	"gatehouse/app/web"
	"gatehouse/app/web/portal/account"
	"gatehouse/app/web/portal/activity"
	"gatehouse/app/web/portal/approval"
	"gatehouse/app/web/portal/billing"
	"gatehouse/app/web/portal/channel"
	"gatehouse/app/web/portal/chat"
	"gatehouse/app/web/portal/credential"
	"gatehouse/app/web/portal/file"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/help"
	"gatehouse/app/web/portal/home"
	"gatehouse/app/web/portal/hook"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/memory"
	"gatehouse/app/web/portal/paying"
	"gatehouse/app/web/portal/people"
	"gatehouse/app/web/portal/permission"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/schedule"
	"gatehouse/app/web/portal/server"
	"gatehouse/app/web/portal/support"
	"gatehouse/app/web/portal/team"
	"gatehouse/app/web/portal/usage"
)

// section is one part of the portal.
type section interface{ Routes() []web.Route }

// opener is a section whose open pages are kept up to date.
type opener interface{ Topics() live.Topics }

// Routes are all routes below /app.
func Routes(d Deps) []web.Route {
	frames := frame.New(frame.Deps{Inbox: d.Inbox, Servers: d.Servers, Links: d.Live, Dues: d.Payments, Now: d.Now})
	agents := roster.New()
	stream := live.New(live.Deps{
		Chat: d.Chat, Inbox: d.Inbox, Notices: d.Live, Frames: frames, Agents: agents, Now: d.Now, Log: d.Log,
	})
	routes := []web.Route{stream.Route()}
	for _, s := range sections(d, frames, agents) {
		routes = append(routes, s.Routes()...)
		if o, ok := s.(opener); ok {
			stream.Add(o.Topics())
		}
	}
	return routes
}

// sections are the parts of the portal. A new section adds its line here, and its menu entry in frame/menu.go.
func sections(d Deps, frames *frame.Frames, agents *roster.Roster) []section {
	agentPages := team.New(team.Deps{
		Chat: d.Chat, Inbox: d.Inbox, Secrets: d.Credentials, Team: d.Team, Frames: frames, Agents: agents, Now: d.Now,
		Prices: d.Bills, Crew: d.Crew, Tasks: d.Tasks,
	})
	return []section{
		home.New(home.Deps{
			Chat: d.Chat, Inbox: d.Inbox, Secrets: d.Credentials, People: d.People, Keys: d.Keys, Frames: frames, Agents: agents,
			Tasks: d.Tasks, Support: d.Support, Regain: d.Regain, Pools: d.Bills, Channels: d.Channels, Now: d.Now,
		}),
		chat.New(chat.Deps{
			Chat: d.Chat, Inbox: d.Inbox, Team: agentPages, Set: d.Team, Tasks: d.Tasks, Frames: frames, Agents: agents,
		}),
		approval.New(approval.Deps{
			Chat: d.Chat, Inbox: d.Inbox, People: d.People, Frames: frames, Agents: agents, Now: d.Now, Log: d.Log,
		}),
		activity.New(activity.Deps{Chat: d.Chat, Costs: d.Bills, Frames: frames, Agents: agents, Now: d.Now}),
		agentPages,
		permission.New(permission.Deps{
			Permissions: d.Permissions, Content: d.Chat, Requests: d.Inbox, Team: d.Team, Frames: frames, Agents: agents, Now: d.Now,
		}),
		credential.New(credential.Deps{Credentials: d.Credentials, Team: d.Team, Frames: frames, Agents: agents}),
		file.New(file.Deps{Files: d.Files, Team: d.Team, Frames: frames, Agents: agents}),
		memory.New(memory.Deps{Memory: d.Memory, Team: d.Team, Frames: frames, Agents: agents}),
		schedule.New(schedule.Deps{
			Schedules: d.Schedules, Team: d.Chat, Tasks: d.Tasks, Settings: d.Team, Frames: frames, Agents: agents, Now: d.Now,
		}),
		channel.New(channel.Deps{Channels: d.Channels, Chat: d.Chat, Team: d.Team, Frames: frames, Agents: agents}),
		hook.New(hook.Deps{
			Hooks: d.Hooks, Rules: d.Hooks, Schedules: d.Schedules, Chat: d.Chat, Team: d.Team, Frames: frames, Agents: agents,
		}),
		server.New(server.Deps{
			Charts: d.Servers, Chat: d.Chat, Secrets: d.Credentials, Consents: d.Consents, Orders: d.Orders, Frames: frames,
			Now: d.Now,
		}),
		usage.New(usage.Deps{Usage: d.Usage, Pools: d.Bills, Frames: frames, Agents: agents, Now: d.Now}),
		support.New(support.Deps{Windows: d.Support, Keys: d.Keys, Frames: frames, Now: d.Now}),
		account.New(account.Deps{
			Tokens: d.Tokens, Seconds: d.Seconds, Passkeys: d.Passkeys,
			People: d.People, Keys: d.Keys, Devices: d.Devices, Archives: d.Archives, Known: d.Known, Frames: frames,
		}),
		people.New(people.Deps{People: d.People, Keys: d.Keys, Frames: frames, Now: d.Now}),
		billing.New(billing.Deps{Bills: d.Bills, Cards: d.Payments, Frames: frames}),
		paying.New(paying.Deps{Payments: d.Payments, People: d.People}),
		help.New(frames),
	}
}
