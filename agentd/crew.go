package agentd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/team"
	teamdesk "gatehouse/agentd/team/desk"
)

// openTeam reads the agents. What the owner had decided before a crash is carried out first, then the shipped agents are laid out
// and brought up to date. One that cannot be is as it was: the team works all the same.
func (d *Daemon) openTeam(ctx context.Context) error {
	folders := team.Folders{Dir: filepath.Join(d.cfg.State, "agents"), Library: team.Shipped()}
	off := missing(d.sandbox)
	if err := ctx.Err(); err != nil {
		return err // a probe that was cut short says nothing of this machine
	}
	load := func() (*team.Team, error) { return team.Load(folders.Dir, d.gate.Definitions(), off) }
	d.staff = teamdesk.New(teamdesk.Deps{
		Store: d.db, Receipts: d.receipts, Signed: d.keys, Folders: folders, Load: load, Live: &d.team, Now: d.now, Log: d.log,
		Changed: func(ctx context.Context) error { return errors.Join(d.schedules.Tidy(ctx), d.rules.Tidy(ctx)) },
		Left:    d.leftOf, Begins: func(agent string) { d.live.Begins(agent) },
	})
	if err := d.staff.Recover(ctx); err != nil {
		return err
	}
	made, err := d.staff.Created(ctx)
	if err != nil {
		return err
	}
	d.live.Begins(made...)
	ready := folders.Ready()
	t, err := load()
	if err != nil {
		return errors.Join(ready, err)
	}
	if ready != nil {
		d.log.Error("some agents were not brought up to date", "error", ready)
	}
	for _, b := range t.Broken() {
		d.log.Error("an agent cannot work", "agent", b.ID, "error", b.Why)
	}
	d.team.Set(t)
	return nil
}

// hasAgent says whether an agent is in the team, also one that cannot work for now because of its files.
func (d *Daemon) hasAgent(id string) bool {
	_, err := d.team.Agent(id)
	return !errors.Is(err, team.ErrUnknown)
}

// brokenAgent says whether an agent is in the team and cannot work because of its files.
func (d *Daemon) brokenAgent(id string) bool {
	_, err := d.team.Agent(id)
	return errors.Is(err, team.ErrBroken)
}

// leftOf says whether notes, settings or permissions are kept for an id: a new agent would get what an earlier one had.
func (d *Daemon) leftOf(id string) bool {
	if _, err := os.Lstat(filepath.Join(d.cfg.State, "memory", id)); err == nil {
		return true
	}
	if _, set := d.config().Agents[id]; set {
		return true
	}
	for other, a := range d.config().Agents {
		if other != id && slices.Contains(a.Asks, id) {
			return true
		}
	}
	rules, _ := d.live.State().Rules()
	return rules != nil && slices.ContainsFunc(rules.Rules, func(r policy.Rule) bool { return r.Agent == id })
}
