package portal

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/chat"
)

// conversations answers GET /app/conversations: what was talked about, newest first, found by words.
func (p *Portal) conversations(c echo.Context) error {
	of, ask := customer(c), listOf(c)
	ctx, cancel := reading(c)
	defer cancel()
	got, err := p.Chat.Sessions(ctx, of, ask)
	away := isAway(err)
	if err != nil && !away {
		return err
	}
	props := views.ListProps{Q: ask.Q, After: ask.After, Next: got.Next, Away: away}
	for _, s := range got.Items {
		props.Rows = append(props.Rows, views.RowProps{
			ID: s.ID, Title: s.Title, Agent: p.names.agent(of, s.Agent), Last: s.LastLine, State: string(s.State),
			Verdict: string(s.Verdict), At: s.UpdatedAt, Turns: s.Runs,
		})
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, views.ListResults(props))
	}
	frame, err := p.frame(c, sheet{title: i18n.T(web.Context(c), "portal.talks.title"), away: away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ListPage(frame, props))
}

// listOf reads what a list is asked for.
func listOf(c echo.Context) wire.ListParams {
	return wire.ListParams{
		Q: c.QueryParam("q"), Agent: c.QueryParam("agent"), Tier: c.QueryParam("tier"), Tool: c.QueryParam("tool"),
		After: c.QueryParam("after"), Limit: 50,
	}
}
