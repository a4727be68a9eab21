package home

import (
	"context"
	"net/url"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/inbox"
	"gatehouse/views/portal"
	"gatehouse/views/portal/server"
	"gatehouse/views/ui"
	"gatehouse/views/welcome"
)

// RegainStop stops the case that lets an owner back in.
const RegainStop = "/app/regain/stop"

// Props is what needs the reader and what was really done.
type Props struct {
	Needs       []inbox.NeedProps
	Waiting     int // requests, shown or not
	Guests      []GuestsProps
	Secrets     []SecretProps
	MoreSecrets int // that are not shown
	Tasks       welcome.Props
	Agents      []portal.AgentProps
	Runs        []portal.RunProps
	Server      server.HealthProps
	Away        bool
	Setup       bool                  // the server is still being set up
	Confirm     *portal.ConfirmProps  // nil: the reader's address is confirmed
	Recovery    *portal.RecoveryProps // nil: no recovery code waits to be written down
	Low         *portal.LowPool       // nil: most of the month's tokens are left
	Regain      string                // id of the case that lets an owner back in; empty: none runs
	Asked, Open int                   // how many of our staff ask to look at the server, and how many may now
}

// GuestsProps says how many people outside ask for a person by a channel.
type GuestsProps struct {
	Channel string // its name
	Waiting int
}

// SecretProps is a call that waits for a secret, as one line: it leads to the card in the conversation.
type SecretProps struct {
	ID, Run string
	Agent   ui.Agent
	Name    string // of the secret
	Expires time.Time
}

// lead counts what waits for the reader: requests, credentials, or both, each by its own name.
func lead(ctx context.Context, p Props) string {
	var says []string
	if p.Waiting > 0 {
		says = append(says, i18n.T(ctx, "portal.home.lead", "n", p.Waiting))
	}
	if n := len(p.Secrets) + p.MoreSecrets; n > 0 {
		says = append(says, i18n.T(ctx, "portal.home.lead_secrets", "n", n))
	}
	if len(says) == 0 {
		return i18n.T(ctx, "portal.home.lead_quiet")
	}
	return strings.Join(says, " ")
}

// requestPath leads to where a call waits in the conversation of its run.
func requestPath(run, call string) string {
	return portal.RunPath(run) + "/talk#secret-" + url.PathEscape(call)
}

// secrets are the calls that wait for a secret, for readers who may give one.
func secrets(ctx context.Context, p Props) []SecretProps {
	if !ui.MayManage(ctx) {
		return nil
	}
	return p.Secrets
}

// agentHref leads to a conversation with the agent, or to what it is, for readers who may not talk with it.
func agentHref(ctx context.Context, agent string) string {
	if ui.MayChat(ctx) {
		return portal.ChatAgentPath(agent)
	}
	return portal.AgentPath(agent)
}
