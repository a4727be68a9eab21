package desk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/google/uuid"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/team"
	"gatehouse/agentd/team/merge"
	"gatehouse/agentd/wire"
)

// Refusals that people read.
var (
	errAct      = &wire.RPCError{Code: "bad_request", Text: "This is nothing that can be done to an agent. Nothing was changed."}
	errUnsigned = &wire.RPCError{
		Code: "signature_required", Text: "This needs the signature of a device that may approve. Nothing was changed.",
	}
	errNoAgent = &wire.RPCError{Code: "not_found", Text: "There is no agent with this name in your team."}
	errNoSuch  = &wire.RPCError{Code: "not_found", Text: "The library has no template with this name. Nothing was changed."}
	errThere   = &wire.RPCError{Code: "conflict", Text: "This agent is in the team already. Nothing was changed."}
	errAway    = &wire.RPCError{Code: "conflict", Text: "This agent was put away. Nothing was changed; bring it back instead."}
	errNotAway = &wire.RPCError{Code: "conflict", Text: "This agent is not among those that were put away. Nothing was changed."}
	errTaken   = &wire.RPCError{Code: "conflict", Text: "An agent of your own has this name. Nothing was changed."}
	errDesk    = &wire.RPCError{Code: "conflict", Text: "The front desk stays: it is whom everybody talks to. Nothing was changed."}
	errOther   = &wire.RPCError{
		Code: "conflict", Text: "This agent was changed meanwhile. Nothing was done to it; load the page again and look at it.",
	}
	errCurrent = &wire.RPCError{Code: "conflict", Text: "This file is up to date with its template. Nothing was changed."}
	errMarks   = &wire.RPCError{
		Code: "bad_request",
		Text: "Marks of a conflict stand in this text still. Nothing was changed; decide what to keep at each of them.",
	}
	errSecret = &wire.RPCError{
		Code: "bad_request",
		Text: "This text holds what looks like a password or a key. Put it into the credentials instead; nothing was changed.",
	}
	errHidden = &wire.RPCError{
		Code: "bad_request",
		Text: "Marks stand in this text where the page hid what looks like a password or a key, which would be lost. Nothing was changed.",
	}
	errFirst = &wire.RPCError{
		Code: "unavailable",
		Text: "An earlier change of the team is kept, but your server cannot carry it out yet. Nothing was changed; " +
			"look whether its disk is full.",
	}
	errDisk = &wire.RPCError{
		Code: "unavailable",
		Text: "Your server could not write this. Nothing was changed; look whether its disk is full, and do it again.",
	}
	errLater = &wire.RPCError{
		Code: "unavailable", Text: "Your server has kept this, but could not carry it out. It tries again when it starts the next time.",
	}
)

// open is an act that is kept and not done yet.
type open struct {
	id, agent string
	do        wire.TeamDo
}

// step is what an act does: files to put into the agent's place, or, without any, a move.
type step struct {
	files, base team.Files
	was         team.Files // those that they take the place of
	hash        string     // of the agent's files afterwards
}

// change carries out an act of the owner. The same act again changes nothing, and is told how it went.
func (d *Desk) change(ctx context.Context, c wire.TeamChange) (wire.TeamDone, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := c.Act
	if uuid.Validate(a.ID) != nil {
		return wire.TeamDone{}, errAct
	}
	if c.Signature == nil {
		return wire.TeamDone{}, errUnsigned
	}
	if done, err := d.again(ctx, a.ID); done.Agent != "" || err != nil {
		return done, err
	}
	if redact.Text(a.Text) != a.Text {
		return wire.TeamDone{}, errSecret
	}
	if err := d.catchUp(ctx); err != nil {
		return wire.TeamDone{}, err
	}
	s, err := d.plan(a)
	if err != nil {
		return wire.TeamDone{}, err
	}
	if err := d.prepare(a, s); err != nil {
		return wire.TeamDone{}, err
	}
	failpoint.Hit("team-prepared")
	if err := d.keep(ctx, c, s); err != nil {
		return wire.TeamDone{}, errors.Join(err, d.d.Folders.Drop(a.ID))
	}
	failpoint.Hit("team-kept")
	return d.finish(ctx, open{a.ID, a.Agent, a.Do})
}

// plan says what an act does, or why it cannot be done.
func (d *Desk) plan(a wire.TeamAct) (step, error) {
	state, files, err := d.stands(a.Agent)
	if err != nil && a.Do != wire.TeamDoArchive {
		return step{}, &wire.RPCError{Code: "conflict", Text: "The files of this agent cannot be read: " + err.Error()}
	}
	if fn := map[wire.TeamDo]func(wire.TeamAct, wire.TeamState, team.Files) (step, error){
		wire.TeamDoInstall: d.install, wire.TeamDoArchive: d.archive, wire.TeamDoRestore: d.restore, wire.TeamDoUpdate: d.update,
		wire.TeamDoCreate: d.create, wire.TeamDoWrite: d.write,
	}[a.Do]; fn != nil {
		s, err := fn(a, state, files)
		if s.was = files; err == nil && s.hides() {
			err = errHidden
		}
		return s, err
	}
	return step{}, errAct
}

func (d *Desk) install(a wire.TeamAct, state wire.TeamState, _ team.Files) (step, error) {
	switch state {
	case wire.TeamAtWork:
		return step{}, errThere
	case wire.TeamArchived:
		return step{}, errAway
	case wire.TeamTaken:
		return step{}, errTaken
	}
	shipped, err := d.d.Folders.Library.Files(a.Agent)
	if errors.Is(err, team.ErrUnknown) {
		return step{}, errNoSuch
	}
	if err == nil && shipped.Sum() != a.Seen {
		err = errOther
	}
	return step{files: shipped, base: shipped, hash: shipped.Sum()}, err
}

// archive puts away also what is broken: its files are kept as they are.
func (d *Desk) archive(a wire.TeamAct, state wire.TeamState, files team.Files) (step, error) {
	switch {
	case a.Agent == team.Dispatcher:
		return step{}, errDesk
	case state != wire.TeamAtWork && state != wire.TeamTaken:
		return step{}, errNoAgent
	case files == nil: // nobody can read them, so nobody has seen them
		return step{}, nil
	}
	updates, err := d.d.Folders.Updates(a.Agent)
	if err == nil && seenOf(files, updates) != a.Seen {
		err = errOther
	}
	return step{hash: files.Sum()}, err
}

func (d *Desk) restore(a wire.TeamAct, state wire.TeamState, files team.Files) (step, error) {
	switch {
	case state != wire.TeamArchived:
		return step{}, errNotAway
	case files.Sum() != a.Seen:
		return step{}, errOther
	}
	return step{hash: files.Sum()}, nil
}

// update makes the owner's decision about one file of a template the agent's, and the template's text what it was made of.
func (d *Desk) update(a wire.TeamAct, state wire.TeamState, files team.Files) (step, error) {
	if state != wire.TeamAtWork {
		return step{}, errNoAgent
	}
	updates, err := d.d.Folders.Updates(a.Agent)
	if err != nil {
		return step{}, err
	}
	if seenOf(files, updates) != a.Seen {
		return step{}, errOther
	}
	for _, u := range updates {
		if u.Name != a.File {
			continue
		}
		base, err := d.d.Folders.Base(a.Agent)
		if err != nil {
			return step{}, err
		}
		base[u.Name] = u.Shipped
		next, err := decided(a, files)
		if err != nil {
			return step{}, err
		}
		return d.checked(a.Agent, next, base)
	}
	return step{}, errCurrent
}

// decided are the files with the owner's decision about one of them.
func decided(a wire.TeamAct, files team.Files) (team.Files, error) {
	switch {
	case merge.Marked(a.Text):
		return nil, errMarks
	case a.File != wire.TeamDescriptor:
		next, err := team.Rewrite(files, a.File, a.Text)
		return next, wrong(err)
	}
	next := maps.Clone(files)
	next[a.File] = strings.TrimSpace(strings.ReplaceAll(a.Text, "\r\n", "\n")) + "\n"
	return next, nil
}

// hides says whether marks stand in what would be written where the page hid something: they would take its place.
func (s step) hides() bool {
	for name, was := range s.was {
		if hidden(s.files[name]) > hidden(was) {
			return true
		}
	}
	return false
}

// hidden counts the marks that stand in place of secrets.
func hidden(text string) int {
	return strings.Count(text, "[REDACTED:") + strings.Count(text, "[SECRET:")
}

// prepare lays out what will be put into its place. A disk that is full, or spoiled, is the owner's to mend.
func (d *Desk) prepare(a wire.TeamAct, s step) error {
	if s.files == nil {
		return nil
	}
	if err := d.d.Folders.Prepare(a.ID, s.files, s.base); err != nil {
		d.d.Log.Error("an agent could not be written", "agent", a.Agent, "error", err)
		return errDisk
	}
	return nil
}

// keep uses up the signature and puts the act on record. From then on it happens.
func (d *Desk) keep(ctx context.Context, c wire.TeamChange, s step) error {
	return d.d.Store.Write(ctx, func(tx *sql.Tx) error {
		key, err := d.d.Signed.Change(context.WithoutCancel(ctx), tx, wire.ChangeTeam, c.Act, c.Signature)
		if err != nil {
			return err
		}
		_, err = d.d.Store.Exec(tx, "INSERT INTO team_acts (id, do, agent, hash, key_id, made_at) VALUES (?, ?, ?, ?, ?, ?)",
			c.Act.ID, c.Act.Do, c.Act.Agent, s.hash, key, d.d.Now().UnixMicro())
		if err != nil {
			return fmt.Errorf("keep act on the team: %w", err)
		}
		if s.files != nil {
			if err := d.remember(tx, c, s); err != nil {
				return err
			}
		}
		_, err = d.d.Receipts.Append(tx, receipt.Entry{Type: "team.changed", Body: said(c, s.hash, key)})
		return err
	})
}

// said is what the receipt of an act says.
func said(c wire.TeamChange, hash, key string) map[string]any {
	body := map[string]any{
		"act": c.Act.ID, "do": c.Act.Do, "agent": c.Act.Agent, "file": c.Act.File, "hash": hash, "by": c.By, "key_id": key,
	}
	if c.Act.From != "" {
		body["from"] = c.Act.From
	}
	return body
}

// finish carries out what is kept, and puts the team that comes of it in force. Whoever asked may leave meanwhile.
func (d *Desk) finish(ctx context.Context, o open) (wire.TeamDone, error) {
	ctx = context.WithoutCancel(ctx)
	if err := d.carryOut(o); err != nil {
		d.d.Log.Error("an act on the team is kept and not carried out", "act", o.id, "agent", o.agent, "error", err)
		return wire.TeamDone{}, errLater
	}
	failpoint.Hit("team-done")
	if err := d.settle(ctx, o.id); err != nil {
		return wire.TeamDone{}, err
	}
	if err := d.reload(ctx); err != nil {
		return wire.TeamDone{}, err
	}
	state := wire.TeamAtWork
	if o.do == wire.TeamDoArchive {
		state = wire.TeamArchived
	}
	return wire.TeamDone{Agent: o.agent, State: state, At: d.d.Now().UTC()}, nil
}

// carryOut renames folders. It may be repeated.
func (d *Desk) carryOut(o open) error {
	if o.do == wire.TeamDoCreate && d.d.Begins != nil {
		d.d.Begins(o.agent) // before anybody can talk to it
	}
	switch o.do {
	case wire.TeamDoArchive:
		return d.d.Folders.Archive(o.agent)
	case wire.TeamDoRestore:
		return d.d.Folders.Restore(o.agent)
	}
	return d.d.Folders.Put(o.id, o.agent)
}

func (d *Desk) settle(ctx context.Context, id string) error {
	return d.d.Store.Write(ctx, func(tx *sql.Tx) error {
		_, err := d.d.Store.Exec(tx, "UPDATE team_acts SET done = 1 WHERE id = ?", id)
		return err
	})
}

// reload puts the team in force as its folders say it now.
func (d *Desk) reload(ctx context.Context) error {
	t, err := d.d.Load()
	if err != nil {
		return err
	}
	d.d.Live.Set(t)
	if d.d.Changed == nil {
		return nil
	}
	if err := d.d.Changed(ctx); err != nil { // it comes up again by itself
		d.d.Log.Warn("schedules do not know of a change of the team yet", "error", err)
	}
	return nil
}

// again finds an act that is kept already, and finishes it.
func (d *Desk) again(ctx context.Context, id string) (wire.TeamDone, error) {
	var o open
	err := d.d.Store.Read().QueryRowContext(ctx, "SELECT id, agent, do FROM team_acts WHERE id = ?", id).Scan(&o.id, &o.agent, &o.do)
	if errors.Is(err, sql.ErrNoRows) {
		return wire.TeamDone{}, nil
	}
	if err != nil {
		return wire.TeamDone{}, fmt.Errorf("look up an act on the team: %w", err)
	}
	open, err := d.isOpen(ctx, id)
	if err != nil || open {
		if err != nil {
			return wire.TeamDone{}, err
		}
		return d.finish(ctx, o)
	}
	state, _, err := d.stands(o.agent)
	return wire.TeamDone{Agent: o.agent, State: state, At: d.d.Now().UTC()}, err
}

func (d *Desk) isOpen(ctx context.Context, id string) (open bool, err error) {
	err = d.d.Store.Read().QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM team_acts WHERE id = ? AND done = 0)", id).Scan(&open)
	return open, err
}

// Recover carries out what a process that died had kept, and clears what it had only prepared. Before the team is loaded.
func (d *Desk) Recover(ctx context.Context) error {
	if _, err := d.overdue(ctx); err != nil { // the team starts all the same
		d.d.Log.Error("an act on the team is kept and not carried out", "error", err)
		return nil
	}
	left, err := d.d.Folders.Prepared()
	for _, id := range left {
		err = errors.Join(err, d.d.Folders.Drop(id))
	}
	if err != nil {
		d.d.Log.Warn("what was prepared of an agent was not cleared", "error", err)
	}
	return nil
}

// catchUp carries out what could not be carried out before: at the next start it would undo what comes after it.
func (d *Desk) catchUp(ctx context.Context) error {
	did, err := d.overdue(ctx)
	if err != nil {
		d.d.Log.Error("an act on the team is kept and not carried out", "error", err)
		return errFirst
	}
	if did == 0 {
		return nil
	}
	return d.reload(ctx)
}

// overdue carries out what is kept and not done, in its order, and counts it.
func (d *Desk) overdue(ctx context.Context) (did int, err error) {
	rows, err := d.d.Store.Read().QueryContext(ctx, "SELECT id, agent, do FROM team_acts WHERE done = 0 ORDER BY seq")
	if err != nil {
		return 0, fmt.Errorf("read acts on the team: %w", err)
	}
	defer rows.Close()
	var all []open
	for rows.Next() {
		var o open
		if err := rows.Scan(&o.id, &o.agent, &o.do); err != nil {
			return 0, fmt.Errorf("read acts on the team: %w", err)
		}
		all = append(all, o)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, fmt.Errorf("read acts on the team: %w", err)
	}
	for _, o := range all {
		if err = d.carryOut(o); err == nil {
			err = d.settle(ctx, o.id)
		}
		if err != nil {
			return did, fmt.Errorf("act %s on %s: %w", o.id, o.agent, err)
		}
		did++
	}
	return did, nil
}
