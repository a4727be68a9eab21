package home

import (
	"context"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/welcome"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	words "gatehouse/views/welcome"
)

// tasks are the first tasks that are still shown.
func (p *Pages) tasks(ctx context.Context, of account.CustomerID) (words.Props, error) {
	state, err := p.Tasks.Of(ctx, of)
	if err != nil {
		return words.Props{}, err
	}
	out := words.Props{Kind: state.Kind, Hide: true}
	for _, i := range state.Shown() {
		out.Items = append(out.Items, words.Item{Task: string(i.Task), Agent: i.Task.Agent(), Done: i.Done})
	}
	return out, nil
}

// errNoTask says that there is no such task.
var errNoTask = fault.New(fault.NotFound, "no-task", "no such first task", "There is no such task. Nothing was changed.")

// dismiss answers POST /app/tasks: hides a first task, or puts it back.
func (p *Pages) dismiss(c echo.Context) error {
	task, back := welcome.Task(c.FormValue("task")), c.FormValue("back") == "1"
	if !task.Known() {
		return errNoTask
	}
	if err := p.Tasks.Dismiss(c.Request().Context(), frame.Customer(c), task, back); err != nil {
		return err
	}
	title := i18n.T(web.Context(c), i18n.Key("task.title_"+string(task)))
	if back {
		frame.Said(c, "task.back", "task", title)
	} else {
		undo := web.Undo{Path: words.DismissPath, Fields: map[string]string{"task": string(task), "back": "1"}}
		web.FlashUndo(c, i18n.T(web.Context(c), "task.hidden", "task", title), undo)
	}
	return frame.GoTo(c, portal.Home)
}
