package team

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/firsttask"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/welcome"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/team"
	words "gatehouse/views/welcome"
)

// Tasks knows the kind of business of a customer and its first tasks; welcome.Service does.
type Tasks interface {
	Of(ctx context.Context, of account.CustomerID) (welcome.State, error)
	Choose(ctx context.Context, of account.CustomerID, kind string) error
}

// business answers GET /app/business: the kind of business, the team that suits it and its first tasks, also those that are done
// or put away.
func (p *Pages) business(c echo.Context) error { return p.showBusiness(c, http.StatusOK, "") }

func (p *Pages) showBusiness(c echo.Context, status int, problem string) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	state, err := p.Tasks.Of(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	props := views.BusinessProps{
		Tasks: firsttask.Props(web.Context(c), state, state.All()), Kinds: firsttask.Kinds(web.Context(c)), Ready: state.Ready,
		Hidden: len(state.Shown()) < len(state.All()), Problem: problem,
	}
	if props.Tasks.Known {
		props.Kind = state.Kind
	}
	got, err := p.Crew.Library(ctx, frame.Customer(c))
	if frame.IsOurs(err) {
		return err
	}
	props.Away = err != nil // the rest of the page does not need the server
	if props.Signs, err = p.signs(c); err != nil {
		return err
	}
	props.Templates = suited(web.Context(c), state.Business(), got.Items)
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "team.business"), Away: props.Away})
	if err != nil {
		return err
	}
	outer.Failed = problem != ""
	return web.Render(c, status, views.BusinessPage(outer, props))
}

// suited are the agents of the library that suit a kind of business, in its order.
func suited(ctx context.Context, k welcome.Kind, library []wire.TeamTemplate) []views.Template {
	var all []views.Template
	for _, id := range k.Team {
		if i := slices.IndexFunc(library, func(t wire.TeamTemplate) bool { return t.ID == id }); i >= 0 {
			t := shownTemplate(ctx, library[i])
			t.Back = words.BusinessPath
			all = append(all, t)
		}
	}
	return all
}

// chooseBusiness answers POST /app/business. It changes what is offered, and nothing about the team.
func (p *Pages) chooseBusiness(c echo.Context) error {
	err := p.Tasks.Choose(c.Request().Context(), frame.Customer(c), c.FormValue("kind"))
	if f := fault.Of(err); err != nil && f.Kind == fault.Invalid {
		return p.showBusiness(c, http.StatusUnprocessableEntity, i18n.T(web.Context(c), "team.business_choose"))
	}
	if err != nil {
		return err
	}
	kind := welcome.KindOf(c.FormValue("kind")).Name.In(i18n.LocaleOf(web.Context(c)))
	frame.Said(c, "team.business_saved", "kind", kind)
	return web.SeeOther(c, words.BusinessPath)
}
