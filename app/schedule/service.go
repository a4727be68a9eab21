package schedule

import (
	"context"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// askWait is how long a server is waited for.
const askWait = 10 * time.Second

// Service is what pages and the API do with schedules. Every method reaches the customer's own server and no other; what the server
// refuses is a fault with its sentence.
type Service struct{ Peer server.Peer }

// List gives one page of the schedules, those that are due next first.
func (s *Service) List(ctx context.Context, of account.CustomerID, p wire.SchedulesParams) (wire.SchedulesResult, error) {
	return server.Ask[wire.SchedulesResult](ctx, s.Peer, of, wire.MethodSchedulesList, p, askWait)
}

// Find gives one schedule, also one that was deleted.
func (s *Service) Find(ctx context.Context, of account.CustomerID, id string) (wire.Schedule, error) {
	return server.Ask[wire.Schedule](ctx, s.Peer, of, wire.MethodScheduleGet, wire.ScheduleParams{ID: id}, askWait)
}

// Ticks gives one page of the history of a schedule, newest first.
func (s *Service) Ticks(ctx context.Context, of account.CustomerID, p wire.ScheduleTicksParams) (wire.ScheduleTicks, error) {
	return server.Ask[wire.ScheduleTicks](ctx, s.Peer, of, wire.MethodScheduleTicks, p, askWait)
}

// Failed gives one page of what failed for good and is not dismissed, newest first.
func (s *Service) Failed(ctx context.Context, of account.CustomerID, p wire.SchedulesParams) (wire.ScheduleTicks, error) {
	return server.Ask[wire.ScheduleTicks](ctx, s.Peer, of, wire.MethodSchedulesFailed, p, askWait)
}

// Due gives what is due in a time, for a calendar.
func (s *Service) Due(ctx context.Context, of account.CustomerID, from, until time.Time) (wire.SchedulesDue, error) {
	p := wire.SchedulesDueParams{From: from, Until: until}
	return server.Ask[wire.SchedulesDue](ctx, s.Peer, of, wire.MethodSchedulesDue, p, askWait)
}

// Read says what a spec or a phrase means, and keeps nothing.
func (s *Service) Read(ctx context.Context, of account.CustomerID, p wire.ScheduleReadParams) (wire.ScheduleReading, error) {
	return server.Ask[wire.ScheduleReading](ctx, s.Peer, of, wire.MethodScheduleRead, p, askWait)
}

// Create makes a schedule. The same one that is asked for again, by the customer with the same once, is there already; an empty once is
// never the same.
func (s *Service) Create(ctx context.Context, of account.CustomerID, once string, p wire.ScheduleCreate) (wire.Schedule, error) {
	p.ID = mint(of, "schedule", once)
	return server.Ask[wire.Schedule](ctx, s.Peer, of, wire.MethodScheduleCreate, p, askWait)
}

// mint is an id for what is made once.
func mint(of account.CustomerID, what, once string) string {
	if once == "" {
		return uuid.Must(uuid.NewV7()).String()
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(what+"\n"+string(of)+"\n"+once)).String()
}

// Edit changes what is set.
func (s *Service) Edit(ctx context.Context, of account.CustomerID, p wire.ScheduleEdit) (wire.Schedule, error) {
	return server.Ask[wire.Schedule](ctx, s.Peer, of, wire.MethodScheduleEdit, p, askWait)
}

// Webhook carries a person's act on the address to which results go. The server checks the signature.
func (s *Service) Webhook(ctx context.Context, of account.CustomerID, c wire.WebhookChange) (wire.Schedule, error) {
	return server.Ask[wire.Schedule](ctx, s.Peer, of, wire.MethodScheduleWebhook, c, askWait)
}

// Act is what may be done with a schedule without changing what it is.
type Act string

// The acts.
const (
	Pause   Act = "pause"
	Resume  Act = "resume"
	Delete  Act = "delete"
	Dismiss Act = "dismiss" // what failed is not shown as such any more
)

var acts = map[Act]wire.Method{
	Pause: wire.MethodSchedulePause, Resume: wire.MethodScheduleResume, Delete: wire.MethodScheduleDelete,
	Dismiss: wire.MethodScheduleDismiss,
}

// Do does one of the acts.
func (s *Service) Do(ctx context.Context, of account.CustomerID, id string, act Act, by wire.Origin) (wire.Schedule, error) {
	return server.Ask[wire.Schedule](ctx, s.Peer, of, acts[act], wire.ScheduleAct{ID: id, By: by}, askWait)
}

// Run runs a schedule once, now; with the same once it was done already.
func (s *Service) Run(ctx context.Context, of account.CustomerID, once, id string, by wire.Origin) (wire.ScheduleTick, error) {
	p := wire.ScheduleRun{ID: id, RunID: mint(of, "run of "+id, once), By: by}
	return server.Ask[wire.ScheduleTick](ctx, s.Peer, of, wire.MethodScheduleRun, p, askWait)
}

// Set sets what holds for all schedules.
func (s *Service) Set(ctx context.Context, of account.CustomerID, p wire.ScheduleSettings) (wire.ScheduleSettings, error) {
	return server.Ask[wire.ScheduleSettings](ctx, s.Peer, of, wire.MethodSchedulesSet, p, askWait)
}
