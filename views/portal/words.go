package portal

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

func homeLead(ctx context.Context, p HomeProps) string {
	secrets := len(p.Secrets) + p.MoreSecrets
	switch {
	case secrets > 0:
		return i18n.T(ctx, "portal.home.lead_secrets", "n", p.Waiting+secrets)
	case p.Waiting == 0:
		return i18n.T(ctx, "portal.home.lead_quiet")
	}
	return i18n.T(ctx, "portal.home.lead", "n", p.Waiting)
}

// task is what a run was asked; a run that was asked nothing shows so.
func task(ctx context.Context, a ActProps) string {
	if a.Task != "" {
		return a.Task
	}
	return i18n.T(ctx, "portal.act.untitled")
}

// unread says that a part of a page could not be read: because the server is away, or for itself alone.
func unread(ctx context.Context, away bool) string {
	if away {
		return i18n.T(ctx, "portal.away.panel")
	}
	return i18n.T(ctx, "portal.unread")
}

// runKind colours the state of a run.
func runKind(state string) string {
	switch state {
	case "running":
		return "busy"
	case "parked", "stopped":
		return "warn"
	case "done":
		return "ok"
	case "failed":
		return "bad"
	}
	return "off"
}

func diskMeter(ctx context.Context, h HealthProps) ui.Meter {
	return meter(i18n.T(ctx, "portal.server.disk"), ctx, h.DiskUsed, h.DiskTotal)
}

func memMeter(ctx context.Context, h HealthProps) ui.Meter {
	return meter(i18n.T(ctx, "portal.server.memory"), ctx, h.MemUsed, h.MemTotal)
}

func meter(label string, ctx context.Context, used, full int64) ui.Meter {
	return ui.Meter{
		Label: label, Used: used, Full: full,
		Text: i18n.T(ctx, "portal.server.used", "used", ui.Bytes(used), "full", ui.Bytes(full), "share", ui.Percent(used, full)),
	}
}

var serverWords = map[string]i18n.Key{
	"online": "portal.server.online", "degraded": "portal.server.degraded", "offline": "portal.server.offline",
	"revoked": "portal.server.revoked", "new": "portal.server.new", "": "portal.server.new",
}

func serverWord(ctx context.Context, h HealthProps) string {
	if h.Away && (h.State == "online" || h.State == "degraded") {
		return i18n.T(ctx, "portal.server.unlinked")
	}
	if key, ok := serverWords[h.State]; ok {
		return i18n.T(ctx, key)
	}
	return h.State
}

func serverKind(h HealthProps) string {
	switch {
	case h.State == "online" && !h.Away:
		return "ok"
	case h.State == "offline", h.State == "revoked":
		return "bad"
	case h.State == "new" || h.State == "":
		return "off"
	}
	return "warn"
}

func uptime(h HealthProps) string { return ui.Duration(time.Duration(h.Uptime) * time.Second) }

var levelNames = map[int]i18n.Key{1: "portal.level.1", 2: "portal.level.2", 3: "portal.level.3"}

var levelHints = map[int]i18n.Key{1: "portal.level.1_hint", 2: "portal.level.2_hint", 3: "portal.level.3_hint"}

// LevelWord names an autonomy level.
func LevelWord(ctx context.Context, level int) string {
	if key, ok := levelNames[level]; ok {
		return i18n.T(ctx, key)
	}
	return i18n.T(ctx, "portal.level.1")
}

func levelHint(ctx context.Context, level int) string {
	if key, ok := levelHints[level]; ok {
		return i18n.T(ctx, key)
	}
	return ""
}

// powers says in a sentence what an agent may do alone.
func powers(ctx context.Context, a AgentProps) string {
	if a.Off {
		return i18n.T(ctx, "portal.agent.is_off")
	}
	out := levelHint(ctx, a.Level)
	if n := len(a.Unlocked); n > 0 {
		return out + " " + i18n.T(ctx, "portal.agent.unlocked", "n", n)
	}
	return out + " " + i18n.T(ctx, "portal.agent.gated")
}

var effectWords = map[string]i18n.Key{"allow": "portal.effect.allow", "ask": "portal.effect.ask", "deny": "portal.effect.deny"}

func effectWord(ctx context.Context, e string) string {
	if key, ok := effectWords[e]; ok {
		return i18n.T(ctx, key)
	}
	return e
}

func effectIcon(e string) string {
	switch e {
	case "allow":
		return "check"
	case "ask":
		return "hand"
	}
	return "lock"
}
