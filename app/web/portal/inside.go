package portal

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/permission"
)

// inside answers GET /app/permissions/inside: who counts as inside the business. With ?address= it says what would be
// added, for the owner to sign.
func (p *Portal) inside(c echo.Context) error {
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
func (p *Portal) saveInside(c echo.Context) error {
	address := c.FormValue("address")
	_, err := p.change(c, team.Inside(address, c.FormValue("mode") != "remove"))
	if err == nil {
		return web.SeeOther(c, views.InsidePath)
	}
	shown, f := views.InsideProps{Address: address}, fault.Of(err)
	switch f.Kind {
	case fault.Invalid:
		shown.Problem = problemAt("address", f)["address"]
	case fault.Conflict, fault.Forbidden, fault.Malformed:
		shown.Refused, shown.Unsigned = f.Public, f.Kind == fault.Forbidden
	default:
		return err
	}
	return p.showInside(c, web.StatusOf(f.Kind), shown)
}

// showInside fills the list in and shows it with what a form or the address brought.
func (p *Portal) showInside(c echo.Context, status int, props views.InsideProps) error {
	ctx, cancel := reading(c)
	defer cancel()
	if err := p.fillInside(ctx, customer(c), &props); err != nil {
		return err
	}
	frame, err := p.frame(c, sheet{title: i18n.T(web.Context(c), "permission.inside"), topic: "inside", away: props.Away})
	if err != nil {
		return err
	}
	frame.Failed = status >= http.StatusBadRequest
	return web.Render(c, status, views.InsidePage(frame, props))
}

// fillInside lists what is set and what the server makes of it: only there an address counts or does not.
func (p *Portal) fillInside(ctx context.Context, of account.CustomerID, props *views.InsideProps) error {
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return err
	}
	now, err := p.Permissions.Inside(ctx, of)
	if props.Away = isAway(err); err != nil && !props.Away {
		return err
	}
	props.Sync = syncOf(set)
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(set.Config.Inside, now.Items))))
	for _, a := range all {
		props.Rows = append(props.Rows, views.InsideRow{
			Address: a, Counts: slices.Contains(now.Items, a), Added: slices.Contains(set.Config.Added, a), Set: slices.Contains(set.Config.Inside, a),
		})
	}
	return nil
}

func (p *Portal) insidePanel(_ echo.Context, of account.CustomerID) topic {
	return &panel{
		now: p.Now, matters: teamMatters,
		draw: func(ctx context.Context) (templ.Component, error) {
			var props views.InsideProps
			err := p.fillInside(ctx, of, &props)
			return views.PushInside(props), err
		},
	}
}
