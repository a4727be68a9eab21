package schedule_test

import (
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestSchedules_follow: the open list and the open page of a schedule look again when a run has ended, without anybody loading them.
func TestSchedules_follow(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	s := &planner{kept: wire.Schedule{
		ID: portaltest.NewID(), Agent: "secretary", Kind: wire.ScheduleCron, Says: "every Monday at 08:00", Title: "Count the flour",
		Task: "Count", State: wire.ScheduleActive, Next: time.Date(2030, 3, 4, 8, 0, 0, 0, time.UTC),
	}}
	p.Also = s.answer
	b := h.Owner(t, of)
	for path, first := range map[string]string{"/app/schedules": "Count the flour", "/app/schedules/" + s.kept.ID: "The server was off."} {
		open := b.Open(b.Get(path).Live(), "")
		open.Until(first)
		run, session := portaltest.NewID(), portaltest.NewID()
		p.Begin(run, session, "Count")
		p.Lock()
		s.kept.State, s.kept.Why = wire.SchedulePaused, wire.PausedFailing
		p.Unlock()
		p.Final(t, run, session, "It is counted.", wire.VerdictNothingRan)
		open.Until("Paused")
		p.Lock()
		s.kept.State, s.kept.Why = wire.ScheduleActive, ""
		p.Unlock()
	}
}
