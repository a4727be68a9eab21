package admin

import (
	"context"

	"gatehouse/views/i18n"
)

var orderWords = map[string]i18n.Key{
	"PAYMENT_CONFIRMED": "admin.order.payment_confirmed", "AWAITING_SERVER": "admin.order.awaiting_server",
	"SERVER_READY": "admin.order.server_ready", "DNS_PENDING": "admin.order.dns_pending", "DNS_READY": "admin.order.dns_ready",
	"PROVISIONING": "admin.order.provisioning", "FULFILLED": "admin.order.fulfilled", "FAILED": "admin.order.failed", "CANCELLED": "admin.order.cancelled",
	"STOPPING": "admin.order.stopping", "ENDED": "admin.order.ended", "RELEASING": "admin.order.releasing", "RELEASED": "admin.order.released",
}

// OrderWord names the state of an order.
func OrderWord(ctx context.Context, state string) string { return word(ctx, orderWords, state) }

var modeWords = map[string]i18n.Key{"AUTO": "admin.order.mode_auto", "MANUAL": "admin.order.mode_manual"}

// regionWords say what is chosen at checkout in the words in which it was on offer.
var regionWords = map[string]i18n.Key{"eu": "public.configure.eu", "na": "public.configure.na"}

func orderKind(state string) string {
	switch state {
	case "FULFILLED":
		return "ok"
	case "FAILED":
		return "bad"
	case "CANCELLED", "RELEASED":
		return "off"
	case "ENDED":
		return "warn"
	}
	return "busy"
}

var serverWords = map[string]i18n.Key{
	"new": "admin.server.new", "online": "admin.server.online", "degraded": "admin.server.degraded",
	"offline": "admin.server.offline", "revoked": "admin.server.revoked",
}

// ServerWord names the state of a server.
func ServerWord(ctx context.Context, state string) string { return word(ctx, serverWords, state) }

func serverKind(state string) string {
	switch state {
	case "online":
		return "ok"
	case "degraded":
		return "warn"
	case "offline", "revoked":
		return "bad"
	}
	return "off"
}

var actWords = map[string]i18n.Key{
	"retry": "admin.act.retry", "cancel": "admin.act.cancel", "press": "admin.act.press", "auto": "admin.act.auto", "manual": "admin.act.manual",
	"stop": "admin.act.stop", "end": "admin.act.end", "keep": "admin.act.keep", "replace": "admin.act.replace", "provider": "admin.act.provider",
}

func word(ctx context.Context, words map[string]i18n.Key, of string) string {
	if k, ok := words[of]; ok {
		return i18n.T(ctx, k)
	}
	return of
}

var providerWords = map[string]i18n.Key{"local": "admin.order.provider_local", "pool": "admin.order.provider_pool"}

var setupStates = map[string]i18n.Key{
	"running": "admin.setup.running", "done": "admin.setup.done", "kept": "admin.setup.kept", "failed": "admin.setup.failed",
	"cut off": "admin.setup.cut",
}

var setupSteps = map[string]i18n.Key{
	"packages": "admin.setup.packages", "docker": "admin.setup.docker", "conflicts": "admin.setup.conflicts", "nginx": "admin.setup.nginx",
	"firewall": "admin.setup.firewall", "admin": "admin.setup.admin", "ssh": "admin.setup.ssh", "upgrades": "admin.setup.upgrades",
	"tools": "admin.setup.tools", "agentd": "admin.setup.agentd", "leave": "admin.setup.leave",
}

func setupKind(state string) string {
	switch state {
	case "done", "kept":
		return "ok"
	case "failed":
		return "bad"
	case "cut off":
		return "warn"
	}
	return "busy"
}
