package people

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/people"
)

// list answers GET /app/settings/people.
func (p *Pages) list(c echo.Context) error {
	return p.show(c, http.StatusOK, views.Props{May: views.Chats})
}

// show fills props in and shows them; what is set already is what a form brought.
func (p *Pages) show(c echo.Context, status int, props views.Props) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	people, err := p.People.People(ctx, of)
	if err != nil {
		return err
	}
	open, err := p.People.Invitations(ctx, of)
	if err != nil {
		return err
	}
	if props.Confirm, err = frame.Unconfirmed(c, p.People, portal.People); err != nil {
		return err
	}
	props.Proven = props.Confirm == nil
	for _, one := range people {
		props.People = append(props.People, personOf(c, one))
	}
	for _, i := range open {
		props.Invited = append(props.Invited, invitedOf(i, p.Now()))
	}
	if props.Stale, err = p.stale(c); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.people.title")})
	if err != nil {
		return err
	}
	outer.Failed = len(props.Problems) > 0
	return web.Render(c, status, views.Page(outer, props))
}

// stale are the devices that the owner should have the server refuse.
func (p *Pages) stale(c echo.Context) ([]views.StaleProps, error) {
	if !session.Of(c).Rights().May(account.Manage) {
		return nil, nil
	}
	ctx, of := c.Request().Context(), frame.Customer(c)
	ring, err := p.Keys.Of(ctx, of)
	if fault.Of(err).Kind == fault.NotFound { // a server that is not there yet has no keys
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	people, err := p.Keys.People(ctx, of)
	if err != nil {
		return nil, err
	}
	var out []views.StaleProps
	for _, k := range approver.Outlived(ring, people) {
		out = append(out, views.StaleProps{Device: k.Label, Person: people[k.KeyID].Name})
	}
	return out, nil
}

func personOf(c echo.Context, one account.Person) views.PersonProps {
	return views.PersonProps{
		ID: string(one.ID), Name: one.Name, Email: one.Email, May: mayOf(one.Rights()), Verified: one.Verified(), Seen: one.Seen,
		Me: string(one.ID) == session.Of(c).UserID,
	}
}

func invitedOf(i account.Invitation, now time.Time) views.InvitedProps {
	return views.InvitedProps{
		ID: i.ID, Email: i.Email, May: mayOf(i.Rights()), Sent: i.CreatedAt, Expires: i.ExpiresAt, Expired: i.Expired(now),
		Refused: !i.RefusedAt.IsZero(),
	}
}

// mayOf is the choice that stands for rights.
func mayOf(r account.Rights) string {
	switch {
	case r.Role == account.Owner:
		return views.Owns
	case r.Chat && r.Approve:
		return views.Both
	case r.Chat:
		return views.Chats
	case r.Approve:
		return views.Approves
	}
	return views.Looks
}

// rightsOf are the rights that a choice stands for; false for none that is offered.
func rightsOf(may string) (account.Rights, bool) {
	r, ok := map[string]account.Rights{
		views.Looks: {Role: account.Member}, views.Chats: {Role: account.Member, Chat: true},
		views.Approves: {Role: account.Member, Approve: true}, views.Both: {Role: account.Member, Chat: true, Approve: true},
		views.Owns: {Role: account.Owner},
	}[may]
	return r, ok
}

// invite answers POST /app/settings/people.
func (p *Pages) invite(c echo.Context) error {
	email, may := c.FormValue("email"), c.FormValue("may")
	r, ok := rightsOf(may)
	if !ok || r.Role != account.Member {
		return p.show(c, http.StatusUnprocessableEntity, views.Props{Email: email, May: views.Chats, Problems: unchosen(c)})
	}
	i, err := p.People.Invite(c.Request().Context(), frame.Customer(c), email, r.Chat, r.Approve, actor(c))
	if err != nil {
		return p.refused(c, err, views.Props{Email: email, May: may})
	}
	frame.Said(c, "portal.people.now_invited", "email", i.Email)
	return web.SeeOther(c, portal.People)
}

// refused shows the page again with why a form was not taken; what is no fault of the form goes to the error page.
func (p *Pages) refused(c echo.Context, err error, props views.Props) error {
	f := web.Told(c, err)
	switch f.Kind {
	case fault.Invalid, fault.Conflict, fault.TooMany, fault.NotFound:
		props.Problems = problems(f)
		return p.show(c, web.StatusOf(f.Kind), props)
	}
	return err
}

func problems(f *fault.Fault) []ui.Problem {
	if len(f.Fields) == 0 {
		return []ui.Problem{{Text: f.Public}}
	}
	var out []ui.Problem
	for field, text := range f.Fields {
		out = append(out, ui.Problem{Field: field, Text: text})
	}
	return out
}

func unchosen(c echo.Context) []ui.Problem {
	return []ui.Problem{{Field: "may", Text: i18n.T(web.Context(c), "portal.people.choose")}}
}

// again answers POST /app/settings/people/invitations/:id/again.
func (p *Pages) again(c echo.Context) error {
	i, err := p.People.InviteAgain(c.Request().Context(), frame.Customer(c), c.Param("id"), actor(c))
	if err != nil {
		return p.refused(c, err, views.Props{May: views.Chats})
	}
	frame.Said(c, "portal.people.now_again", "email", i.Email)
	return web.SeeOther(c, portal.People)
}

// withdraw answers POST /app/settings/people/invitations/:id/revoke.
func (p *Pages) withdraw(c echo.Context) error {
	i, err := p.People.Uninvite(c.Request().Context(), frame.Customer(c), c.Param("id"), actor(c))
	if err != nil {
		return p.refused(c, err, views.Props{May: views.Chats})
	}
	frame.Said(c, "portal.people.now_withdrawn", "email", i.Email)
	return web.SeeOther(c, portal.People)
}

func actor(c echo.Context) audit.Actor {
	who := session.Of(c)
	return audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: c.RealIP()}
}
