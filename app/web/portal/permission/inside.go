package permission

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/permission"
)

// inside answers GET /app/permissions/inside: who counts as inside the business. With ?address= it says what would be
// added, for the owner to sign.
func (p *Pages) inside(c echo.Context) error {
	asked := views.InsideProps{Address: c.QueryParam("address")}
	if asked.Address == "" {
		return p.showInside(c, http.StatusOK, asked)
	}
	adds := team.Fold(asked.Address)
	if bad := account.CheckEmail(adds); bad != "" {
		asked.Problem = bad
		return p.showInside(c, http.StatusUnprocessableEntity, asked)
	}
	body, err := json.Marshal(adds)
	if err != nil {
		return err
	}
	asked.Adds, asked.Body = adds, string(body)
	return p.showInside(c, http.StatusOK, asked)
}

// saveInside answers POST /app/permissions/inside: one address more, which is signed for, or one less.
func (p *Pages) saveInside(c echo.Context) error {
	address := c.FormValue("address")
	adds := c.FormValue("mode") != "remove"
	_, err := signing.Change(c, p.Team, team.Inside(address, adds))
	if err == nil {
		saidInside(c, address, adds)
		return frame.GoTo(c, views.InsidePath)
	}
	shown, f := views.InsideProps{Address: address}, web.Told(c, err)
	switch f.Kind {
	case fault.Invalid:
		shown.Problem = web.ProblemsAt("address", f)["address"]
	case fault.Conflict, fault.Forbidden, fault.Malformed:
		shown.Refused, shown.Unsigned = f.Public, f.Kind == fault.Forbidden
	default:
		return err
	}
	return p.showInside(c, web.StatusOf(f.Kind), shown)
}

// saidInside leaves what is true now, and the way back: removing takes one press, adding the owner's signature.
func saidInside(c echo.Context, address string, added bool) {
	ctx := web.Context(c)
	if added {
		text := i18n.T(ctx, "permission.inside.now_inside", "address", address)
		web.FlashUndo(c, text, web.Undo{Path: views.InsidePath, Fields: map[string]string{"address": address, "mode": "remove"}})
		return
	}
	text := i18n.T(ctx, "permission.inside.now_outside", "address", address)
	web.FlashLink(c, text, web.Link{Path: views.InsideWith(address), Label: i18n.T(ctx, "permission.inside.add_again")})
}

// showInside fills the list in and shows it with what a form or the address brought.
func (p *Pages) showInside(c echo.Context, status int, props views.InsideProps) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	if err := p.fillInside(ctx, frame.Customer(c), &props); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "permission.inside"), Topic: "inside", Away: props.Away})
	if err != nil {
		return err
	}
	outer.Failed = status >= http.StatusBadRequest
	return web.Render(c, status, views.InsidePage(outer, props))
}

// fillInside lists what is set and what the server makes of it: only there an address counts or does not.
func (p *Pages) fillInside(ctx context.Context, of account.CustomerID, props *views.InsideProps) error {
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return err
	}
	now, err := p.Permissions.Inside(ctx, of)
	if props.Away = frame.IsAway(err); err != nil && !props.Away {
		return err
	}
	props.Sync = signing.Sync(set)
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(set.Config.Inside, now.Items))))
	for _, a := range all {
		props.Rows = append(props.Rows, views.InsideRow{
			Address: a, Counts: slices.Contains(now.Items, a),
			Added: slices.Contains(set.Config.Added, a), Set: slices.Contains(set.Config.Inside, a),
		})
	}
	return nil
}

// insidePanel keeps the list of addresses up to date.
func (p *Pages) insidePanel(c echo.Context, _ string) live.Topic {
	of := frame.Customer(c)
	return &live.Panel{
		Now: p.Now, Matters: settingsMatter,
		Draw: func(ctx context.Context) (templ.Component, error) {
			var props views.InsideProps
			err := p.fillInside(ctx, of, &props)
			return views.PushInside(props), err
		},
	}
}

// settingsMatter reports whether what is set may have changed.
func settingsMatter(n relay.Notice) bool {
	return n.Kind == relay.KindConfig || n.Kind == relay.KindServer
}
