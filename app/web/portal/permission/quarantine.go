package permission

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/permission"
)

// quarantine answers GET /app/quarantine: what came from outside and looks like an attempt to give the team orders.
func (p *Pages) quarantine(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	after, err := strconv.ParseInt(c.QueryParam("after"), 10, 64)
	if err != nil {
		after = 0 // the newest
	}
	got, err := p.Content.Flagged(ctx, frame.Customer(c), wire.FlaggedParams{After: after})
	away := frame.IsAway(err)
	if err != nil && !away {
		return err
	}
	props := views.QuarantineProps{Next: got.Next, Away: away}
	for _, f := range got.Items {
		props.Rows = append(props.Rows, flaggedProps(f))
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "quarantine.title"), Away: away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.QuarantinePage(outer, props))
}

func flaggedProps(f wire.Flagged) views.FlaggedProps {
	var from []string
	for _, s := range f.Sources {
		from = append(from, s.Source)
	}
	return views.FlaggedProps{
		Run: f.RunID, Call: f.CallID, Tool: f.Tool, Summary: f.Summary, From: strings.Join(from, ", "), Patterns: f.Patterns, At: f.Time,
	}
}
