package home

import (
	"context"
	"net/url"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/inbox"
	"gatehouse/views/portal"
	"gatehouse/views/portal/server"
	"gatehouse/views/ui"
)

// Props is what needs the reader and what was really done.
type Props struct {
	Needs       []inbox.NeedProps
	Waiting     int // approvals and credentials that it waits for, shown or not
	Secrets     []SecretProps
	MoreSecrets int // that are not shown
	Agents      []portal.AgentProps
	Runs        []portal.RunProps
	Server      server.HealthProps
	Away        bool
	Setup       bool                 // the server is still being set up
	Confirm     *portal.ConfirmProps // nil: the reader's address is confirmed
}

// SecretProps is a call that waits for a secret, as one line: it leads to the card in the conversation.
type SecretProps struct {
	ID, Run string
	Agent   ui.Agent
	Name    string // of the secret
	Expires time.Time
}

func lead(ctx context.Context, p Props) string {
	secrets := len(p.Secrets) + p.MoreSecrets
	switch {
	case secrets > 0:
		return i18n.T(ctx, "portal.home.lead_secrets", "n", p.Waiting+secrets)
	case p.Waiting == 0:
		return i18n.T(ctx, "portal.home.lead_quiet")
	}
	return i18n.T(ctx, "portal.home.lead", "n", p.Waiting)
}

// requestPath leads to where a call waits in the conversation of its run.
func requestPath(run, call string) string {
	return portal.RunPath(run) + "/talk#secret-" + url.PathEscape(call)
}
