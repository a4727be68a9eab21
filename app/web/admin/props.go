package admin

import (
	"context"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/server"
	views "gatehouse/views/admin"
	"gatehouse/views/ui"
)

func orderProps(o order.Order) views.Order {
	p := views.Order{
		ID: string(o.ID), Number: o.Number, Customer: string(o.CustomerID), CustomerName: o.CustomerName, Plan: string(o.Plan), Price: int64(o.Price),
		State: string(o.State), Step: string(o.Step()), Mode: string(o.Mode), Reason: o.Reason, Server: o.ServerID, Slug: o.Slug, Region: string(o.Region), Business: o.BusinessType, Created: o.CreatedAt, Updated: o.UpdatedAt,
	}
	if plan, err := pricing.Find(o.Plan); err == nil {
		p.Plan = plan.Name
	}
	return p
}

func serverProps(s server.Server) views.Server {
	p := views.Server{
		ID: string(s.ID), Slug: s.Slug, Provider: s.Provider, Customer: string(s.CustomerID), CustomerName: s.CustomerName,
		State: string(s.State), Version: s.AgentdVersion, Seen: s.BeatAt,
	}
	if s.Beat != nil {
		p.Model, p.Beat = s.Beat.Model, beat(*s.Beat)
	}
	return p
}

func beat(b wire.Heartbeat) *views.Beat {
	return &views.Beat{
		Load: fmt.Sprintf("%.2f / %d", b.LoadOne, b.Cores), MemUsed: b.MemTotal - b.MemFree, MemTotal: b.MemTotal,
		DiskUsed: b.DiskTotal - b.DiskFree, DiskTotal: b.DiskTotal, Uptime: time.Duration(b.UptimeS) * time.Second,
		Runs: b.RunsActive, Pending: b.Pending, Config: b.ConfigVersion, Protection: b.Protection, ShellOff: b.ShellOff,
		Engine: b.Containers != nil,
	}
}

// stages is where an order stands, state by state, with when and by whom each was reached.
func stages(ctx context.Context, o order.Order, events []order.Event) []ui.Stage {
	reached := map[order.State]order.Event{}
	for _, e := range events {
		if e.Kind == order.EventState {
			reached[e.State] = e
		}
	}
	var all []ui.Stage
	passed := true
	for _, s := range order.Path() {
		stage := ui.Stage{Name: views.OrderWord(ctx, string(s)), State: "ahead"}
		if e, ok := reached[s]; ok {
			stage.At, stage.Actor = e.At, e.By
		}
		if s == o.Step() {
			stage.State, passed = now(o), false
		} else if passed && !reached[s].At.IsZero() {
			stage.State = "done"
		}
		all = append(all, stage)
	}
	return all
}

// now is how the stage shows that an order is at.
func now(o order.Order) string {
	switch o.State {
	case order.Failed:
		return "failed"
	case order.Fulfilled:
		return "done"
	case order.Cancelled, order.Released:
		return "blocked"
	}
	return "now"
}
