package health

import (
	"gatehouse/app/server"

	views "gatehouse/views/portal/server"
)

// Of is the server as its last heartbeat told.
func Of(s server.Server, away bool) views.HealthProps {
	h := views.HealthProps{
		ID: string(s.ID), State: string(s.State), Away: away, BeatAt: s.BeatAt, Agentd: s.AgentdVersion, Since: s.RegisteredAt,
	}
	b := s.Beat
	if b == nil {
		return h
	}
	h.Known, h.Uptime, h.Config = true, b.UptimeS, b.ConfigVersion
	h.Load, h.Cores = b.LoadOne, b.Cores
	h.MemUsed, h.MemTotal = b.MemTotal-b.MemFree, b.MemTotal
	h.DiskUsed, h.DiskTotal = b.DiskTotal-b.DiskFree, b.DiskTotal
	h.Runs, h.Pending, h.Model, h.Rehearsal = b.RunsActive, b.Pending, b.Model, b.Rehearsal
	h.Protection, h.ShellOff = b.Protection, b.ShellOff
	if b.AgentdVersion != "" {
		h.Agentd = b.AgentdVersion
	}
	return h
}
