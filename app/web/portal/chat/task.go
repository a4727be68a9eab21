package chat

import (
	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/welcome"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// prepare puts the message of the first task that a new conversation was opened with into its field. The browser keeps no draft
// of it: another new conversation begins empty.
func (p *Pages) prepare(c echo.Context, t conversation, bar *ui.Composer) error {
	task := welcome.Task(c.QueryParam("task"))
	if !t.fresh || !task.Known() {
		return nil
	}
	state, err := p.Tasks.Of(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	if win, ok := state.Business().Win(task); ok {
		bar.Draft, bar.Task, bar.Keep = win.Text.In(i18n.LocaleOf(web.Context(c))), string(task), ""
	}
	return nil
}
