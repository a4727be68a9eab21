package agentd

import (
	"context"
	"reflect"
	"sync/atomic"
	"time"

	"gatehouse/agentd/wire"
)

// pauses knows which agents a budget keeps from working. The model proxy says so; it is asked when something may have changed: a run
// has ended, other limits hold, a budget begins anew.
type pauses struct {
	wake chan struct{}
	all  atomic.Pointer[[]wire.AgentPause]
}

// pausesEvery is how often the model proxy is asked when nothing seems to have changed: calls come from elsewhere, too.
const pausesEvery = 20 * time.Second

// look has the model proxy asked soon.
func (p *pauses) look() {
	select {
	case p.wake <- struct{}{}:
	default: // one is enough
	}
}

// pausedAgents are the agents that a budget keeps from working now.
func (d *Daemon) pausedAgents() (out []wire.AgentPause) {
	all := d.pauses.all.Load()
	if all == nil {
		return nil
	}
	for _, p := range *all {
		if d.now().Before(p.Until) {
			out = append(out, p)
		}
	}
	return out
}

// pausedBy is the budget that keeps an agent from working now; nil when none does.
func (d *Daemon) pausedBy(agent string) *wire.AgentPause {
	for _, p := range d.pausedAgents() {
		if p.Agent == agent {
			return &p
		}
	}
	return nil
}

// keepPauses asks the model proxy who is paused, until ctx ends. Without one nothing is ever paused.
func (d *Daemon) keepPauses(ctx context.Context) error {
	for d.way != nil && ctx.Err() == nil {
		if err := d.readPauses(ctx); err != nil && ctx.Err() == nil {
			d.log.DebugContext(ctx, "who is paused is not known anew", "error", err)
		}
		timer := time.NewTimer(d.pausesFor())
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-d.pauses.wake:
		}
		timer.Stop()
	}
	return nil
}

// pausesFor is how long what is known of pauses may hold.
func (d *Daemon) pausesFor() time.Duration {
	wait := pausesEvery
	for _, p := range d.pausedAgents() {
		wait = min(wait, p.Until.Sub(d.now()))
	}
	return max(wait, time.Millisecond)
}

// readPauses asks once. What has changed is told to the hub at once.
func (d *Daemon) readPauses(ctx context.Context) error {
	cfg, models := d.config(), map[string]string{}
	for _, a := range d.team.Agents() {
		models[a.ID] = modelName(cfg, a.ID)
		if models[a.ID] == "" {
			models[a.ID] = d.model.Name()
		}
	}
	all, err := d.way.Paused(ctx, models)
	if err != nil {
		return err
	}
	was := d.pauses.all.Swap(&all)
	if was == nil || !reflect.DeepEqual(pausedNames(*was), pausedNames(all)) {
		d.tellPauses(ctx)
	}
	return nil
}

// pausedNames are who is paused by what until when; how much was used meanwhile is no news.
func pausedNames(all []wire.AgentPause) []wire.AgentPause {
	out := make([]wire.AgentPause, len(all))
	for i, p := range all {
		out[i] = p
		out[i].Used = 0
	}
	return out
}

// tellPauses sends a heartbeat ahead of its time, so that pages show who is paused.
func (d *Daemon) tellPauses(ctx context.Context) {
	if c := d.client.Load(); c != nil {
		c.Send(wire.TypeHeartbeat, d.heartbeat(ctx))
	}
}
