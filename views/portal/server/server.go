package server

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// HealthProps is the server as its last heartbeat told.
type HealthProps struct {
	ID, State           string
	Away                bool
	Known               bool // a heartbeat came
	BeatAt, Since       time.Time
	Agentd              string
	Uptime              int64 // seconds
	Config              int64
	Load                float64
	Cores               int
	MemUsed, MemTotal   int64 // bytes
	DiskUsed, DiskTotal int64 // bytes
	Runs, Pending       int
	Model               string
	Rehearsal           bool
	Protection          []string
	ShellOff            string
}

// SealKeyProps is the key that values are sealed for. The fingerprint is empty when it could not be read.
type SealKeyProps struct {
	Fingerprint string
	MadeAt      time.Time
}

func versions(ctx context.Context, h HealthProps) []ui.Pair {
	none := i18n.T(ctx, "ui.time.none")
	or := func(v string) string {
		if v == "" {
			return none
		}
		return v
	}
	model := or(h.Model)
	if h.Rehearsal {
		model = i18n.T(ctx, "portal.server.rehearsal")
	}
	return []ui.Pair{
		{Name: i18n.T(ctx, "portal.server.agentd"), Value: or(h.Agentd)},
		{Name: i18n.T(ctx, "portal.server.config"), Value: ui.Count(ctx, h.Config)},
		{Name: i18n.T(ctx, "portal.server.model"), Value: model},
		{Name: i18n.T(ctx, "portal.server.since"), View: ui.At(h.Since)},
		{Name: i18n.T(ctx, "portal.server.id"), Value: or(h.ID), Code: true},
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

func uptime(ctx context.Context, h HealthProps) string {
	return ui.Duration(ctx, time.Duration(h.Uptime)*time.Second)
}
