package desk

import (
	"context"
	"fmt"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// Refusals of what the owner writes.
var (
	errUsed = &wire.RPCError{Code: "conflict", Text: "There is an agent with this short name already, in the team, in the library or " +
		"put away. Nothing was changed; choose another one."}
	errLeft = &wire.RPCError{Code: "conflict", Text: "Notes or permissions of an earlier agent with this short name are still kept. " +
		"Nothing was changed; choose another one, so that the new agent does not get them."}
	errMany = &wire.RPCError{Code: "conflict", Text: fmt.Sprintf("Your team has %d agents, which is as many as it can have. "+
		"Nothing was changed; put one away first.", team.MaxMembers)}
	errNoFrom = &wire.RPCError{Code: "not_found", Text: "The agent that was to be copied is not in the team. Nothing was changed."}
	errSame   = &wire.RPCError{Code: "conflict", Text: "It says this already. Nothing was changed."}
)

// wrong refuses what cannot be written, with the reason; nothing when there is none.
func wrong(err error) error {
	if err == nil {
		return nil
	}
	return &wire.RPCError{
		Code: "bad_request", Text: "This was not saved: " + err.Error() + ". Change it and save again.",
	}
}

// create makes a new agent of the owner's own. A copy has the files of the other, and nothing else of it.
func (d *Desk) create(a wire.TeamAct, state wire.TeamState, _ team.Files) (step, error) {
	if err := team.CheckID(a.Agent); err != nil {
		return step{}, wrong(err)
	}
	if a.About == nil {
		return step{}, errAct
	}
	if err := d.free(a.Agent, state); err != nil {
		return step{}, err
	}
	from, err := d.copied(a)
	if err != nil {
		return step{}, err
	}
	next, err := team.Create(*a.About, from)
	if err != nil {
		return step{}, wrong(err)
	}
	return d.checked(a.Agent, next, nil)
}

// free says why an id cannot be a new agent's, or nothing.
func (d *Desk) free(id string, state wire.TeamState) error {
	if state != wire.TeamWaiting || d.inLibrary(id) {
		return errUsed
	}
	if d.d.Left != nil && d.d.Left(id) {
		return errLeft
	}
	ids, err := d.d.Folders.Members()
	if err == nil && len(ids) >= team.MaxMembers {
		err = errMany
	}
	return err
}

// copied are the files that a new agent gets of another; nil for none.
func (d *Desk) copied(a wire.TeamAct) (team.Files, error) {
	if a.From == "" {
		return nil, nil
	}
	state, files, err := d.stands(a.From)
	if err != nil || (state != wire.TeamAtWork && state != wire.TeamTaken) {
		return nil, errNoFrom
	}
	updates, err := d.d.Folders.Updates(a.From)
	if err == nil && seenOf(files, updates) != a.Seen {
		err = errOther
	}
	return files, err
}

// write gives a file of an agent another text, or the agent another description.
func (d *Desk) write(a wire.TeamAct, state wire.TeamState, files team.Files) (step, error) {
	if state != wire.TeamAtWork && state != wire.TeamTaken {
		return step{}, errNoAgent
	}
	updates, err := d.d.Folders.Updates(a.Agent)
	if err != nil {
		return step{}, err
	}
	if seenOf(files, updates) != a.Seen {
		return step{}, errOther
	}
	next, err := d.rewritten(a, files)
	if err != nil {
		return step{}, err
	}
	if next.Sum() == files.Sum() {
		return step{}, errSame
	}
	base, err := d.d.Folders.Base(a.Agent)
	if err != nil {
		return step{}, err
	}
	return d.checked(a.Agent, next, base)
}

func (d *Desk) rewritten(a wire.TeamAct, files team.Files) (next team.Files, err error) {
	switch {
	case a.File == wire.TeamDescriptor && a.About != nil && a.Text == "":
		next, err = team.Redescribe(files, *a.About, !d.d.Folders.Made(a.Agent))
		return next, wrong(err)
	case a.About != nil || a.File == wire.TeamDescriptor:
		return nil, errAct
	}
	return decided(a, files)
}

// checked is the step that lays these files out, if an agent can work with them and they hold no secret.
func (d *Desk) checked(id string, next, base team.Files) (step, error) {
	if _, err := team.Describe(id, next); err != nil {
		return step{}, wrong(err)
	}
	if text := next[wire.TeamDescriptor]; redact.Text(text) != text {
		return step{}, errSecret
	}
	return step{files: next, base: base, hash: next.Sum()}, nil
}

// Created lists the agents that the owner made, also those that were put away: none of them inherits the level of the team.
func (d *Desk) Created(ctx context.Context) (ids []string, err error) {
	rows, err := d.d.Store.Read().QueryContext(ctx, "SELECT DISTINCT agent FROM team_acts WHERE do = ? ORDER BY agent", wire.TeamDoCreate)
	if err != nil {
		return nil, fmt.Errorf("read acts on the team: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("read acts on the team: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
