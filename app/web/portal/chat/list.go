package chat

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/chat"
)

// list answers GET /app/conversations: what was talked about, newest first, found by words.
func (p *Pages) list(c echo.Context) error {
	of, ask := frame.Customer(c), frame.ListParams(c)
	ask.Archived = c.QueryParam("show") == "archived"
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	got, err := p.Chat.Sessions(ctx, of, ask)
	away := frame.IsAway(err)
	if err != nil && !away {
		return err
	}
	props := views.ListProps{Q: ask.Q, After: ask.After, Next: got.Next, Away: away, Archived: ask.Archived}
	if gone := c.QueryParam("deleted"); uuid.Validate(gone) == nil {
		props.Dropped = keptAs(c, conversation{session: gone})
	}
	for _, s := range got.Items {
		props.Rows = append(props.Rows, views.RowProps{
			ID: s.ID, Title: s.Title, Agent: p.Agents.Agent(ctx, of, s.Agent), Last: s.LastLine, State: string(s.State),
			Verdict: string(s.Verdict), At: s.UpdatedAt, Turns: s.Runs,
		})
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, views.ListResults(props))
	}
	title := i18n.Key("portal.talks.title")
	if ask.Archived {
		title = "portal.talks.archived"
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), title), Away: away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ListPage(outer, props))
}
