package welcome

import (
	"context"
	"net/url"
	"slices"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
)

// DismissPath takes a task from the list, or puts it back.
const DismissPath = "/app/tasks"

// Props are the tasks for a kind of business; none shows nothing.
type Props struct {
	Kind  string
	Items []Item
	Hide  bool // each can be dismissed
}

// Item is one task. Agent is whom its message is for.
type Item struct {
	Task, Agent string
	Done        bool
}

// kinds are the kinds of business that have tasks of their own.
var kinds = []string{"food", "shop", "craft", "office", "health"}

// Text is the message of a task, for a kind of business; what is no known kind gets the general one.
func Text(ctx context.Context, task, kind string) string {
	if !slices.Contains(kinds, kind) {
		kind = "other"
	}
	return i18n.T(ctx, i18n.Key("task."+task+"_"+kind))
}

// Path is the chat with the message of a task in its field.
func (i Item) Path() string {
	return portal.ChatAgentPath(i.Agent) + "?" + url.Values{"new": {"1"}, "task": {i.Task}}.Encode()
}

func (i Item) title(ctx context.Context) string { return i18n.T(ctx, i18n.Key("task.title_"+i.Task)) }

func (i Item) hint(ctx context.Context) string { return i18n.T(ctx, i18n.Key("task.hint_"+i.Task)) }
