package people

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/public"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/people"
)

var errNoPerson = fault.New(fault.NotFound, "no-such-person", "no such person in the business",
	"This person does not belong to your business, or was removed meanwhile. Nothing was changed.")

// one answers GET /app/settings/people/:user.
func (p *Pages) one(c echo.Context) error { return p.showOne(c, http.StatusOK, "", nil) }

func (p *Pages) showOne(c echo.Context, status int, may string, bad []ui.Problem) error {
	props, err := p.find(c, c.Param("user"))
	if err != nil {
		return err
	}
	if props.Problems = bad; may != "" {
		props.May = may
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: props.Name})
	if err != nil {
		return err
	}
	outer.Failed = len(bad) > 0
	return web.Render(c, status, views.OnePage(outer, props))
}

// find reads one person of the business, and whether they are its only owner.
func (p *Pages) find(c echo.Context, id string) (views.OneProps, error) {
	people, err := p.People.People(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return views.OneProps{}, err
	}
	var out views.OneProps
	owners := 0
	for _, one := range people {
		if one.Role == account.Owner {
			owners++
		}
		if string(one.ID) == id {
			out.PersonProps = personOf(c, one)
		}
	}
	if out.ID == "" {
		return out, errNoPerson
	}
	out.Last = out.May == views.Owns && owners == 1
	return out, nil
}

// saveRights answers POST /app/settings/people/:user.
func (p *Pages) saveRights(c echo.Context) error {
	may, id := c.FormValue("may"), account.UserID(c.Param("user"))
	r, ok := rightsOf(may)
	if !ok {
		return p.showOne(c, http.StatusUnprocessableEntity, "", unchosen(c))
	}
	was, err := p.People.User(c.Request().Context(), frame.Customer(c), id)
	if err != nil {
		return err
	}
	u, err := p.People.SetRights(c.Request().Context(), frame.Customer(c), id, r, actor(c))
	if err != nil {
		f := web.Told(c, err)
		if f.Kind == fault.Conflict || f.Kind == fault.Invalid {
			return p.showOne(c, web.StatusOf(f.Kind), may, problems(f))
		}
		return err
	}
	changed(c, id)
	saidRights(c, u, was.Rights())
	return frame.GoTo(c, portal.People)
}

// saidRights leaves what is true now, and the way back: what was given is taken in one press, what was taken is given on the
// page of the person.
func saidRights(c echo.Context, u account.User, was account.Rights) {
	ctx := web.Context(c)
	text := i18n.T(ctx, nowWords[mayOf(u.Rights())], "name", u.Name)
	switch now := u.Rights(); {
	case now == was:
		web.Flash(c, "ok", text)
	case within(was, now):
		web.FlashUndo(c, text, web.Undo{Path: views.PersonPath(string(u.ID)), Fields: map[string]string{"may": mayOf(was)}})
	default:
		web.FlashLink(c, text, web.Link{Path: views.PersonPath(string(u.ID)), Label: i18n.T(ctx, "portal.people.change_again")})
	}
}

// within reports whether all that a person may do with one set of rights they may do with another.
func within(less, more account.Rights) bool {
	for _, r := range []account.Right{account.Look, account.Chat, account.Approve, account.Manage} {
		if less.May(r) && !more.May(r) {
			return false
		}
	}
	return true
}

// nowWords say what a person may do from now on.
var nowWords = map[string]i18n.Key{
	views.Looks: "portal.people.now_look", views.Chats: "portal.people.now_chat", views.Approves: "portal.people.now_approve",
	views.Both: "portal.people.now_both", views.Owns: "portal.people.now_owner",
}

// changed lets what was changed hold at once: in the sign-ins of the person, and on the pages that they have open.
func changed(c echo.Context, id account.UserID) {
	session.Changed(c, signin.Subject{CustomerID: string(frame.Customer(c)), UserID: string(id)})
}

// remove answers POST /app/settings/people/:user/remove.
func (p *Pages) remove(c echo.Context) error {
	id := account.UserID(c.Param("user"))
	u, err := p.People.Remove(c.Request().Context(), frame.Customer(c), id, actor(c))
	if err != nil {
		return p.refused(c, err, views.Props{May: views.Chats})
	}
	changed(c, id)
	if string(id) == session.Of(c).UserID {
		return left(c)
	}
	frame.Said(c, "portal.people.now_removed", "name", u.Name)
	return web.SeeOther(c, portal.People)
}

// askLeave answers GET /app/settings/people/leave.
func (p *Pages) askLeave(c echo.Context) error {
	props, err := p.find(c, session.Of(c).UserID)
	if err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.people.leave_title")})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.LeavePage(outer, props))
}

// leave answers POST /app/settings/people/leave. Who has left is signed out.
func (p *Pages) leave(c echo.Context) error {
	id := account.UserID(session.Of(c).UserID)
	if _, err := p.People.Remove(c.Request().Context(), frame.Customer(c), id, actor(c)); err != nil {
		return p.refused(c, err, views.Props{May: views.Chats})
	}
	changed(c, id)
	return left(c)
}

func left(c echo.Context) error {
	frame.Said(c, "portal.people.now_left", "business", session.Of(c).Business)
	return web.SeeOther(c, public.SignInPath)
}
