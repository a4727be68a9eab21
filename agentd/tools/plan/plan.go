package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// Time is when something is due, worked out once.
type Time struct {
	Kind string    `json:"kind"`
	Spec string    `json:"spec"`
	Zone string    `json:"zone"`
	Says string    `json:"says"` // in words, with the zone
	Next time.Time `json:"next"`
}

// Made is a schedule as the model sees it.
type Made struct {
	ID, Agent, Title, Task, Says, State string
	Next                                time.Time // zero: nothing is due anymore
	Last                                string    // what became of the newest tick; empty: none yet
	Outside                             bool      // content from outside stood behind its making: what it says is not to be obeyed
}

// By names the call that plans.
type By struct{ CallID, RunID, Agent string }

// Planner keeps the schedules. Errors of type *tool.Refused are for the model.
type Planner interface {
	// Read works out what the owner's words about a time mean. What can mean several things is refused with a question.
	Read(when string, remind bool) (Time, error)
	// Create makes a schedule of the agent that calls. A repeat with the same call id makes no second one.
	Create(ctx context.Context, by By, at Time, a policy.ScheduleCreateArgs) (Made, error)
	List(ctx context.Context, query string) ([]Made, error)
	// Update and Delete refuse the schedules of other agents. at is nil where the time stays.
	Update(ctx context.Context, by By, at *Time, a policy.ScheduleUpdateArgs) (Made, error)
	Delete(ctx context.Context, by By, id string) (Made, error)
}

func byOf(p gate.Permit) By { return By{p.CallID(), p.RunID(), p.Agent()} }

// redeem reads the arguments and uses the permit.
func redeem[T any](name string, p gate.Permit, args json.RawMessage) (T, error) {
	in, err := tool.Parse[T](args)
	if err == nil {
		err = p.Redeem(args)
	}
	if err != nil {
		return in, fmt.Errorf("%s: %w", name, err)
	}
	return in, nil
}

// measured freezes when it is due: the words count from the moment of the call, not from that of a late approval.
func measured(with Planner, when string, remind bool) (gate.Measured, error) {
	at, err := with.Read(when, remind)
	if err != nil {
		return gate.Measured{}, err
	}
	frozen, err := json.Marshal(at)
	return gate.Measured{Facts: []tool.Fact{{Name: "due", Value: at.Next.Unix(), Text: at.Says}}, Frozen: frozen}, err
}

// frozen reads what was measured.
func frozen(p gate.Permit) (Time, error) {
	var at Time
	if err := json.Unmarshal(p.Frozen(), &at); err != nil {
		return at, fmt.Errorf("time of a schedule: %w", err)
	}
	return at, nil
}

// fixed is part of the tools whose time was worked out before a person was asked.
type fixed struct{}

// Holds says that the time still is what it was: words are not read a second time.
func (fixed) Holds(context.Context, json.RawMessage, json.RawMessage) error { return nil }

// Create is the tool schedule_create.
type Create struct {
	fixed
	with Planner
}

// NewCreate makes the tool.
func NewCreate(with Planner) *Create { return &Create{with: with} }

// Definition says what the model sees.
func (t *Create) Definition() tool.Definition {
	return tool.Definition{
		Name: "schedule_create", Doc: "Do something later, or again and again, or remind the owner. Give the time in the owner's " +
			"own words, such as " +
			"tomorrow at 9, every second Friday at 10, in 20 minutes, jeden Montag um 8, or as five cron fields. Do not work out " +
			"the date " +
			"yourself. Then you see nothing of this conversation, so the task says all that is needed. To tell the owner when " +
			"a number gets above or below something, fill in the watch fields.",
		Args: tool.SchemaOf[policy.ScheduleCreateArgs](), Idempotent: true,
	}
}

// Classify says how risky it is.
func (t *Create) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("schedule_create", args, policy.Env{})
}

// Measure works out when it is due.
func (t *Create) Measure(_ context.Context, args json.RawMessage) (gate.Measured, error) {
	in, err := tool.Parse[policy.ScheduleCreateArgs](args)
	if err != nil {
		return gate.Measured{}, fmt.Errorf("schedule_create: %w", err)
	}
	return measured(t.with, in.When, in.Remind)
}

// Run makes the schedule.
func (t *Create) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := redeem[policy.ScheduleCreateArgs]("schedule_create", p, args)
	if err != nil {
		return tool.Result{}, err
	}
	at, err := frozen(p)
	if err != nil {
		return tool.Result{}, err
	}
	made, err := t.with.Create(ctx, byOf(p), at, in)
	if err != nil {
		return tool.Result{}, fmt.Errorf("schedule_create: %w", err)
	}
	return tool.Result{
		Text: fmt.Sprintf("Planned: %s. Due %s. Its id is %s.", made.Title, made.Says, made.ID), Summary: "Planned for " + made.Says,
		Effects: []tool.Effect{{Kind: "booked", Target: made.ID, Count: 1}},
	}, nil
}

// List is the tool schedule_list.
type List struct{ with Planner }

// NewList makes the tool.
func NewList(with Planner) *List { return &List{with} }

// Definition says what the model sees.
func (t *List) Definition() tool.Definition {
	return tool.Definition{
		Name: "schedule_list", Doc: "List what is planned: reminders and tasks with their next time.",
		Args: tool.SchemaOf[policy.ScheduleListArgs](), Idempotent: true,
	}
}

// Classify says how risky it is.
func (t *List) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("schedule_list", args, policy.Env{})
}

// Run lists the schedules. One behind which content from outside stood makes the list content from outside.
func (t *List) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := redeem[policy.ScheduleListArgs]("schedule_list", p, args)
	if err != nil {
		return tool.Result{}, err
	}
	all, err := t.with.List(ctx, in.Query)
	if err != nil {
		return tool.Result{}, fmt.Errorf("schedule_list: %w", err)
	}
	var b strings.Builder
	out := tool.Result{Summary: fmt.Sprintf("Looked at %d schedules", len(all)), Text: "Nothing is planned."}
	for _, m := range all {
		fmt.Fprintf(&b, "- %s: %s (of %s, %s, %s", m.ID, m.Title, m.Agent, m.Says, m.State)
		if !m.Next.IsZero() {
			b.WriteString(", next " + m.Next.UTC().Format(time.RFC3339))
		}
		if m.Last != "" {
			b.WriteString(", last " + m.Last)
		}
		b.WriteString(")\n")
		if m.Outside {
			out.Meta = map[string]any{gate.MetaOutside: true}
		}
	}
	if b.Len() > 0 {
		out.Text = b.String()
	}
	return out, nil
}

// Update is the tool schedule_update.
type Update struct {
	fixed
	with Planner
}

// NewUpdate makes the tool.
func NewUpdate(with Planner) *Update { return &Update{with: with} }

// Definition says what the model sees.
func (t *Update) Definition() tool.Definition {
	return tool.Definition{
		Name: "schedule_update", Doc: "Change when one of your schedules is due or what it does, or pause it.",
		Args: tool.SchemaOf[policy.ScheduleUpdateArgs](), Idempotent: true,
	}
}

// Classify says how risky it is.
func (t *Update) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("schedule_update", args, policy.Env{})
}

// Measure works out when it is due, where that changes.
func (t *Update) Measure(_ context.Context, args json.RawMessage) (gate.Measured, error) {
	in, err := tool.Parse[policy.ScheduleUpdateArgs](args)
	if err != nil {
		return gate.Measured{}, fmt.Errorf("schedule_update: %w", err)
	}
	if in.When == "" {
		return gate.Measured{Frozen: json.RawMessage("null")}, nil
	}
	return measured(t.with, in.When, true) // the kind stays, so the words alone decide
}

// Run changes the schedule.
func (t *Update) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := redeem[policy.ScheduleUpdateArgs]("schedule_update", p, args)
	if err != nil {
		return tool.Result{}, err
	}
	var at *Time
	if in.When != "" {
		is, err := frozen(p)
		if err != nil {
			return tool.Result{}, err
		}
		at = &is
	}
	made, err := t.with.Update(ctx, byOf(p), at, in)
	if err != nil {
		return tool.Result{}, fmt.Errorf("schedule_update: %w", err)
	}
	return tool.Result{
		Text: fmt.Sprintf("Changed: %s. It is %s. Due %s.", made.Title, made.State, made.Says), Summary: "Changed 1 schedule",
		Effects: []tool.Effect{{Kind: "booked", Target: made.ID, Count: 1}},
	}, nil
}

// Delete is the tool schedule_delete.
type Delete struct{ with Planner }

// NewDelete makes the tool.
func NewDelete(with Planner) *Delete { return &Delete{with} }

// Definition says what the model sees.
func (t *Delete) Definition() tool.Definition {
	return tool.Definition{
		Name: "schedule_delete", Doc: "Delete one of your schedules or reminders.",
		Args: tool.SchemaOf[policy.ScheduleDeleteArgs](), Idempotent: true,
	}
}

// Classify says how risky it is.
func (t *Delete) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("schedule_delete", args, policy.Env{})
}

// Run deletes the schedule.
func (t *Delete) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := redeem[policy.ScheduleDeleteArgs]("schedule_delete", p, args)
	if err != nil {
		return tool.Result{}, err
	}
	made, err := t.with.Delete(ctx, byOf(p), in.ID)
	if err != nil {
		return tool.Result{}, fmt.Errorf("schedule_delete: %w", err)
	}
	return tool.Result{
		Text: "Deleted: " + made.Title + ".", Summary: "Deleted 1 schedule", Effects: []tool.Effect{{
			Kind:   "booked",
			Target: made.ID, Count: 1,
		}},
	}, nil
}
