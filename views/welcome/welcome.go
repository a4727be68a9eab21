package welcome

import (
	"context"
	"net/url"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
)

// DismissPath takes a task from the list, or the whole list from the page, or puts it back.
const DismissPath = "/app/tasks"

// BusinessPath is where the kind of business is chosen, with the team and the tasks that suit it.
const BusinessPath = "/app/business"

// Props are the tasks for a kind of business; none shows nothing.
type Props struct {
	Kind  string // the name of the kind of business
	Known bool   // the customer has said that it is theirs
	Items []Item
	Hide  bool // each can be dismissed, and the list put away
}

// Item is one task in the reader's language. Agent is whom it is for.
type Item struct {
	Task, Agent, Title, Hint string

	Text string // the message, or what the schedule is for
	When string // when the schedule is due; empty: it is a message
	Done bool
}

// Path is where the task is prepared: the chat with its message in the field, or the form of its schedule.
func (i Item) Path() string {
	if i.When != "" {
		return portal.Schedules + "/new?" + url.Values{"win": {i.Task}}.Encode()
	}
	return portal.ChatAgentPath(i.Agent) + "?" + url.Values{"new": {"1"}, "task": {i.Task}}.Encode()
}

// quoted is what the task asks for, and when.
func (i Item) quoted(ctx context.Context) string {
	if i.When != "" {
		return i18n.T(ctx, "task.quoted_when", "text", i.Text, "when", i.When)
	}
	return i18n.T(ctx, "task.quoted", "text", i.Text)
}

// open is what the way to the task is called.
func (i Item) open(ctx context.Context) string {
	if i.When != "" {
		return i18n.T(ctx, "task.open_schedule")
	}
	return i18n.T(ctx, "task.open")
}

// lead says what the tasks are for.
func (p Props) lead(ctx context.Context) string {
	if p.Known {
		return i18n.T(ctx, "task.lead_kind", "kind", p.Kind)
	}
	return i18n.T(ctx, "task.lead")
}
