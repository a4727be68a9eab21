package eventrule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// Refusals that people read.
var (
	errAct      = badRequest("This is nothing that can be done with a rule. Nothing was changed.")
	errUnsigned = &wire.RPCError{
		Code: "signature_required", Text: "This needs the signature of a device that may approve. Nothing was changed.",
	}
	errChanged = conflict("The rule was changed meanwhile. Nothing was saved; look at it again.")
	errName    = badRequest(fmt.Sprintf("Give the rule a name of one line, with at most %d characters. Nothing was saved.",
		wire.MaxEventRuleName))
	errTask    = badRequest(fmt.Sprintf("Say what is to be done, in at most %d characters. Nothing was saved.", wire.MaxEventRuleTask))
	errRate    = badRequest(fmt.Sprintf("A rule begins 1 to %d runs an hour. Nothing was saved.", wire.MaxEventsPerHour))
	errEvent   = badRequest("Choose what the rule waits for. Nothing was saved.")
	errOutcome = badRequest("How a run ended narrows only rules on runs that have ended. Nothing was saved.")
	errOf      = badRequest("A schedule narrows only rules on schedules that have failed. Nothing was saved.")
)

// change carries out an act of a person.
func (r *Rules) change(ctx context.Context, c wire.EventRuleChange) (wire.EventRule, error) {
	a := c.Act
	if uuid.Validate(a.ID) != nil || a.Do == wire.HookDoRenew || a.Do == wire.HookDoMake && a.Rule != "" {
		return wire.EventRule{}, errAct
	}
	id := cmp.Or(a.Rule, a.ID)
	if v, err := r.byID(ctx, id); err == nil && v.LastAct == a.ID { // a repeat
		return r.view(ctx, v)
	}
	if a.Do.Signed() && c.Signature == nil {
		return wire.EventRule{}, errUnsigned
	}
	if err := r.write(ctx, func(t txn) error { return r.act(context.WithoutCancel(ctx), t, c) }); err != nil {
		return wire.EventRule{}, err
	}
	return r.get(ctx, wire.EventRuleParams{ID: id})
}

// act carries out an act inside a transaction.
func (r *Rules) act(ctx context.Context, t txn, c wire.EventRuleChange) error {
	v, err := find(t, cmp.Or(c.Act.Rule, c.Act.ID))
	switch {
	case err == nil && v.LastAct == c.Act.ID:
		return nil // a repeat
	case errors.Is(err, errNone) && c.Act.Do == wire.HookDoMake:
	case err != nil:
		return err
	case c.Act.Do == wire.HookDoMake || v.State == wire.HookDeleted:
		return errNone
	case c.Act.Do.Signed() && c.Act.Version != v.Version:
		return errChanged
	}
	key := ""
	if c.Signature != nil {
		if key, err = r.d.Signed.Change(ctx, t.tx, wire.ChangeEventRule, c.Act, c.Signature); err != nil {
			return err
		}
	}
	if err := r.apply(t, &v, c); err != nil {
		return err
	}
	v.LastAct, v.Updated = c.Act.ID, r.now()
	v.Version++
	if err := save(t, v); err != nil {
		return err
	}
	return r.receipt(t, "event.rule_changed", "", map[string]any{
		"rule": v.ID, "name": v.Name, "do": c.Act.Do, "when": v.When, "agent": v.Agent, "state": v.State, "level": v.Level,
		"per_hour": v.PerHour, "by": c.By, "key_id": key,
	})
}

// apply changes the row.
func (r *Rules) apply(t txn, v *row, c wire.EventRuleChange) error {
	a := c.Act
	switch a.Do {
	case wire.HookDoMake:
		if err := r.room(t); err != nil {
			return err
		}
		*v = row{ID: a.ID, State: wire.HookActive, Session: a.ID, By: c.By, Created: r.now()}
		return r.set(t, v, a)
	case wire.HookDoEdit:
		return r.set(t, v, a)
	case wire.HookDoResume:
		if !r.d.HasAgent(v.Agent) {
			return conflict("Its agent is not in the team anymore. Give it to another agent first.")
		}
		v.State, v.Why = wire.HookActive, ""
	case wire.HookDoPause:
		v.State, v.Why = wire.HookPaused, wire.PausedByOwner
	case wire.HookDoDelete:
		v.State, v.Why = wire.HookDeleted, ""
	default:
		return errAct
	}
	return nil
}

// set checks and sets what a person may choose. The level is that of the agent as the person signs.
func (r *Rules) set(t txn, v *row, a wire.EventRuleAct) error {
	v.Name, v.Agent, v.Task, v.PerHour = strings.TrimSpace(a.Name), a.Agent, redact.Text(strings.TrimSpace(a.Task)), a.PerHour
	v.When = a.When()
	switch {
	case !oneLine(v.Name, wire.MaxEventRuleName) || redact.Text(v.Name) != v.Name:
		return errName
	case v.Task == "" || !utf8.ValidString(v.Task) || utf8.RuneCountInString(v.Task) > wire.MaxEventRuleTask || v.Task[0] == '/':
		return errTask
	case v.PerHour < 1 || v.PerHour > wire.MaxEventsPerHour:
		return errRate
	}
	for _, agent := range []string{v.Agent, cmp.Or(v.When.OfAgent, v.Agent)} {
		if !r.d.HasAgent(agent) {
			return badRequest(fmt.Sprintf("This server has no agent %q. Nothing was saved.", agent))
		}
	}
	cfg := r.d.Config()
	v.Level = cmp.Or(cfg.Agents[v.Agent].Level, cfg.DefaultLevel)
	return checkWhen(t, v.When)
}

// checkWhen refuses what never happens.
func checkWhen(t txn, w wire.EventWhen) error {
	switch {
	case !w.Event.Known():
		return errEvent
	case w.Outcome != "" && (w.Event != wire.EventRunEnded || !w.Outcome.Known()):
		return errOutcome
	case w.Schedule != "" && w.Event != wire.EventScheduleFailed:
		return errOf
	case w.Schedule == "":
		return nil
	}
	var there bool
	const query = "SELECT EXISTS (SELECT 1 FROM schedules WHERE id = ? AND state <> 'deleted')"
	if err := t.db.QueryRow(t.tx, query, w.Schedule).Scan(&there); err != nil {
		return fmt.Errorf("read schedules: %w", err)
	}
	if !there {
		return badRequest("This schedule is not on your server. Nothing was saved.")
	}
	return nil
}

// oneLine says whether a text is one line of so many characters at most.
func oneLine(s string, most int) bool {
	control := func(c rune) bool { return c < ' ' || c == 0x7f || c == '\u2028' || c == '\u2029' }
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && !slices.ContainsFunc([]rune(s), control)
}

// room refuses a rule beyond the limit.
func (r *Rules) room(t txn) error {
	var n int
	if err := t.db.QueryRow(t.tx, "SELECT count(*) FROM event_rules WHERE state <> 'deleted'").Scan(&n); err != nil {
		return fmt.Errorf("read rules on events: %w", err)
	}
	if n >= wire.MaxEventRules {
		return conflict(fmt.Sprintf("There are %d rules already, which is the most. Delete one first. Nothing was saved.", n))
	}
	return nil
}
