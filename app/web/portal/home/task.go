package home

import (
	"context"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/firsttask"
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
	out := firsttask.Props(ctx, state, state.Shown())
	out.Hide = true
	return out, nil
}

// errNoTask says that there is no such task.
var errNoTask = fault.New(fault.NotFound, "no-task", "no such first task", "There is no such task. Nothing was changed.")

// dismiss answers POST /app/tasks: hides a first task or the whole list, or puts it back.
func (p *Pages) dismiss(c echo.Context) error {
	if c.FormValue("all") == "1" {
		return p.putAway(c)
	}
	ctx, of := c.Request().Context(), frame.Customer(c)
	task, back := welcome.Task(c.FormValue("task")), c.FormValue("back") == "1"
	state, err := p.Tasks.Of(ctx, of)
	if err != nil {
		return err
	}
	win, ok := state.Business().Win(task)
	if !ok {
		return errNoTask
	}
	if err := p.Tasks.Dismiss(ctx, of, task, back); err != nil {
		return err
	}
	title := win.Title.In(i18n.LocaleOf(web.Context(c)))
	if back {
		frame.Said(c, "task.back", "task", title)
	} else {
		undo := web.Undo{Path: words.DismissPath, Fields: map[string]string{"task": string(task), "back": "1"}}
		web.FlashUndo(c, i18n.T(web.Context(c), "task.hidden", "task", title), undo)
	}
	return frame.GoTo(c, portal.Home)
}

// putAway takes the whole list from the page, or puts it back.
func (p *Pages) putAway(c echo.Context) error {
	back := c.FormValue("back") == "1"
	if err := p.Tasks.PutAway(c.Request().Context(), frame.Customer(c), back); err != nil {
		return err
	}
	if back {
		frame.Said(c, "task.put_away_back")
	} else {
		undo := web.Undo{Path: words.DismissPath, Fields: map[string]string{"all": "1", "back": "1"}}
		web.FlashUndo(c, i18n.T(web.Context(c), "task.put_away_done"), undo)
	}
	return frame.GoTo(c, portal.Home)
}
