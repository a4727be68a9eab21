package admin

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/clientele"
	"gatehouse/app/closing"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// Clientele is what our staff do with customers; clientele.Service has it.
type Clientele interface {
	List(ctx context.Context, ask page.Ask) (page.Of[clientele.Card], error)
	Find(ctx context.Context, id account.CustomerID) (clientele.Card, error)
	First(ctx context.Context, of account.CustomerID) (clientele.First, error)
	Create(ctx context.Context, f clientele.Facts, email string, by audit.Actor) (clientele.Card, error)
	Change(
		ctx context.Context, of account.CustomerID, edit func(was clientele.Facts) clientele.Facts, by audit.Actor,
	) (clientele.Card, error)
	Invite(ctx context.Context, of account.CustomerID, email string, by audit.Actor) (account.Invitation, error)
	Withdraw(ctx context.Context, of account.CustomerID, by audit.Actor) (email string, err error)
	AddNote(ctx context.Context, of account.CustomerID, text string, by audit.Actor) (clientele.Note, error)
	Notes(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[clientele.Note], error)
}

// Closing says how far it is with the accounts of customers who left; closing.Service does.
type Closing interface {
	Of(ctx context.Context, of account.CustomerID) (closing.Standing, error)
}

// customerRoutes are the pages about customers.
func (h *Handler) customerRoutes() []web.Route {
	at := func(method, path string, needs staff.Permission, do echo.HandlerFunc) web.Route {
		return web.Route{Method: method, Path: views.CustomersPath + path, For: web.Staff, Needs: needs, Do: do}
	}
	get, post := http.MethodGet, http.MethodPost
	create := at(post, "/new", staff.CustomersWrite, h.createCustomer)
	invite := at(post, "/:id/invitation", staff.CustomersWrite, h.firstOwner)
	create.Limit, invite.Limit = web.LimitMail, web.LimitMail
	return []web.Route{
		at(get, "", staff.CustomersRead, h.customers),
		at(get, "/new", staff.CustomersWrite, h.newCustomer), create,
		at(get, "/:id", staff.CustomersRead, h.customer),
		at(get, "/:id/edit", staff.CustomersWrite, h.editCustomer),
		at(post, "/:id/edit", staff.CustomersWrite, h.changeCustomer),
		at(post, "/:id/notes", staff.CustomersWrite, h.addNote), invite,
	}
}

func customer(v clientele.Card) views.Customer {
	return views.Customer{
		ID: string(v.ID), Name: v.Name, TimeZone: v.TimeZone, Address: v.Address, Language: v.Locale, Owner: v.Owner, Invited: v.Invited,
		Since: v.CreatedAt,
	}
}

// customers answers GET /admin/customers.
func (h *Handler) customers(c echo.Context) error {
	w, err := wantedOf(c)
	if err != nil {
		return err
	}
	of, err := h.Clientele.List(c.Request().Context(), w.Ask)
	if err != nil {
		return err
	}
	l := views.Customers{List: listed(w, views.CustomersPath, of, customer), May: may(c, staff.CustomersWrite)}
	return h.list(c, "admin.customers.title", "", views.CustomerTable(web.Context(c), l), func(f layout.Frame) templ.Component {
		return views.CustomersPage(f, l)
	})
}

// typed is what was sent to a customer's page and does not fit.
type typed struct {
	note, noteProblem   string
	email, emailProblem string
}

// customer answers GET /admin/customers/:id.
func (h *Handler) customer(c echo.Context) error { return h.showCustomer(c, http.StatusOK, typed{}) }

func (h *Handler) showCustomer(c echo.Context, status int, wrong typed) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	d, err := h.customerDetail(c, account.CustomerID(v))
	if err != nil {
		return err
	}
	if d.Audit, err = h.newestOf(c, d.ID); err != nil {
		return err
	}
	d.Notes.Typed, d.Notes.Problem = wrong.note, wrong.noteProblem
	if d.First != nil && wrong.emailProblem != "" {
		d.First.Email, d.First.Problem = wrong.email, wrong.emailProblem
	}
	f, err := h.frame(c, "admin.customers.title", "", "")
	if err != nil {
		return err
	}
	f.Title, f.Failed = d.Name, wrong != typed{}
	return web.Render(c, status, views.CustomerPage(f, d))
}

func (h *Handler) customerDetail(c echo.Context, of account.CustomerID) (views.CustomerDetail, error) {
	ctx := c.Request().Context()
	v, err := h.Clientele.Find(ctx, of)
	if err != nil {
		return views.CustomerDetail{}, err
	}
	d := views.CustomerDetail{Customer: customer(v), May: may(c, staff.CustomersWrite), Billing: may(c, staff.BillingRead)}
	users, err := h.Accounts.Users(ctx, of)
	if err != nil {
		return d, err
	}
	for _, u := range users {
		d.People = append(d.People, views.Person{Name: u.Name, Email: u.Email, Role: string(u.Role), Verified: u.Verified()})
	}
	if d.Closing, err = h.closing(ctx, of); err != nil {
		return d, err
	}
	if d.May = d.May && !d.Closing.Over(); d.Closing.Over() { // nothing can be changed about them any more
		d.Owner, d.Invited = "", ""
	} else if len(users) == 0 {
		if d.First, err = h.first(ctx, of); err != nil {
			return d, err
		}
	}
	if d.Notes, err = h.notes(c, of); err != nil {
		return d, err
	}
	return d, h.attach(ctx, of, &d)
}

// closing is how far it is with the account.
func (h *Handler) closing(ctx context.Context, of account.CustomerID) (views.Closing, error) {
	st, err := h.Closing.Of(ctx, of)
	if err != nil {
		return views.Closing{}, err
	}
	v := views.Closing{Due: st.Due, Waits: string(st.Waits)}
	if e := st.Erasure; e != nil {
		v.Erased, v.KeptUntil, v.Purged = e.At, e.KeptUntil, e.Purged
	}
	return v, nil
}

// first is how far it is with the first owner.
func (h *Handler) first(ctx context.Context, of account.CustomerID) (*views.FirstOwner, error) {
	i, err := h.Clientele.First(ctx, of)
	if errors.Is(err, clientele.ErrNotInvited) {
		return &views.FirstOwner{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &views.FirstOwner{
		Email: i.Email, Open: true, Since: i.CreatedAt, Until: i.ExpiresAt, Mailed: i.Mailed, Refused: !i.RefusedAt.IsZero(),
		Expired: i.Expired(h.Now()),
	}, nil
}

// notesShown is how many notes a page shows.
const notesShown = 10

func (h *Handler) notes(c echo.Context, of account.CustomerID) (views.Notes, error) {
	ask := page.Ask{Limit: notesShown, After: c.QueryParam("notes")}
	some, err := h.Clientele.Notes(c.Request().Context(), of, ask)
	if err != nil {
		return views.Notes{}, err
	}
	var n views.Notes
	for _, v := range some.Items {
		n.Items = append(n.Items, views.Note{ID: v.ID, Text: v.Text, By: v.By, At: v.At})
	}
	here := views.CustomerPath(string(of))
	if ask.After != "" {
		n.First = here + "#notes"
	}
	if some.Next != "" {
		n.Next = here + "?" + url.Values{"notes": {some.Next}}.Encode() + "#notes"
	}
	return n, nil
}

// newCustomer answers GET /admin/customers/new.
func (h *Handler) newCustomer(c echo.Context) error {
	return h.showCustomerForm(c, http.StatusOK, views.CustomerForm{
		Zone: session.Of(c).Zone().String(), Language: i18n.LocaleOf(web.Context(c)),
	})
}

func (h *Handler) showCustomerForm(c echo.Context, status int, p views.CustomerForm) error {
	f, err := h.frame(c, "clientele.new.title", "", "")
	if err != nil {
		return err
	}
	if p.ID != "" {
		v, err := h.Clientele.Find(c.Request().Context(), account.CustomerID(p.ID))
		if err != nil {
			return err
		}
		f.Title = v.Name
	}
	f.Failed = len(p.Problems) > 0
	return web.Render(c, status, views.CustomerFormPage(f, p))
}

// customerForm is what was typed.
func customerForm(c echo.Context) (views.CustomerForm, clientele.Facts) {
	p := views.CustomerForm{
		Name: c.FormValue("name"), Address: c.FormValue("address"), Zone: c.FormValue("time_zone"), Language: c.FormValue("language"),
		Email: c.FormValue("email"),
	}
	if !i18n.Offered(p.Language) {
		p.Language = ""
	}
	return p, clientele.Facts{Name: p.Name, Address: p.Address, TimeZone: p.Zone, Locale: p.Language}
}

// createCustomer answers POST /admin/customers/new. That an address is taken is said: who makes customers may see them all.
func (h *Handler) createCustomer(c echo.Context) error {
	p, facts := customerForm(c)
	v, err := h.Clientele.Create(c.Request().Context(), facts, p.Email, actorOf(c))
	if err == nil {
		said(c, "clientele.said.created", "name", v.Name, "email", v.Invited)
		return web.SeeOther(c, views.CustomerPath(string(v.ID)))
	}
	if p.Problems = customerProblems(c, err); p.Problems == nil {
		return err
	}
	return h.showCustomerForm(c, http.StatusUnprocessableEntity, p)
}

// customerProblems are what is wrong with what was typed; nil: the error is about something else.
func customerProblems(c echo.Context, err error) []ui.Problem {
	f := web.Told(c, err)
	switch {
	case errors.Is(err, clientele.ErrTaken), errors.Is(err, clientele.ErrInvited):
		return []ui.Problem{{Field: "email", Text: f.Public}}
	case f.Kind == fault.Invalid:
		return problemsOf(f, "name", "email", "address", "time_zone")
	}
	return nil
}

// editCustomer answers GET /admin/customers/:id/edit.
func (h *Handler) editCustomer(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	card, err := h.Clientele.Find(c.Request().Context(), account.CustomerID(v))
	if err != nil {
		return err
	}
	return h.showCustomerForm(c, http.StatusOK, views.CustomerForm{
		ID: v, Name: card.Name, Address: card.Address, Zone: card.TimeZone, Language: card.Locale,
	})
}

// changeCustomer answers POST /admin/customers/:id/edit.
func (h *Handler) changeCustomer(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	p, facts := customerForm(c)
	p.ID, p.Email = v, ""
	card, err := h.Clientele.Change(c.Request().Context(), account.CustomerID(v), func(clientele.Facts) clientele.Facts {
		return facts
	}, actorOf(c))
	if err != nil {
		if p.Problems = customerProblems(c, err); p.Problems == nil {
			return err
		}
		return h.showCustomerForm(c, http.StatusUnprocessableEntity, p)
	}
	if err := h.customerChanged(c, card.ID); err != nil {
		return err
	}
	said(c, "clientele.said.changed", "name", card.Name)
	return web.SeeOther(c, views.CustomerPath(v))
}

// customerChanged has the sign-ins of a customer's people read anew: they know the name and the time zone of the business.
func (h *Handler) customerChanged(c echo.Context, of account.CustomerID) error {
	users, err := h.Accounts.Users(c.Request().Context(), of)
	if err != nil {
		return err
	}
	for _, u := range users {
		session.Changed(c, signin.Subject{CustomerID: string(of), UserID: string(u.ID)})
	}
	return nil
}

// addNote answers POST /admin/customers/:id/notes.
func (h *Handler) addNote(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	_, err = h.Clientele.AddNote(c.Request().Context(), account.CustomerID(v), c.FormValue("note"), actorOf(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return h.showCustomer(c, http.StatusUnprocessableEntity, typed{note: c.FormValue("note"), noteProblem: f.Fields["note"]})
	}
	if err != nil {
		return err
	}
	said(c, "clientele.said.noted")
	return web.SeeOther(c, views.CustomerPath(v)+"#notes")
}

// firstOwner answers POST /admin/customers/:id/invitation: send it again, also to another address, or withdraw it.
func (h *Handler) firstOwner(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	ctx, of, key := c.Request().Context(), account.CustomerID(v), i18n.Key("clientele.said.invited")
	email := c.FormValue("email")
	switch c.FormValue("act") {
	case "again":
		_, err = h.Clientele.Invite(ctx, of, email, actorOf(c))
	case "withdraw":
		key = "clientele.said.withdrawn"
		email, err = h.Clientele.Withdraw(ctx, of, actorOf(c))
	default:
		return errAct
	}
	if wrong := customerProblems(c, err); err != nil && len(wrong) > 0 {
		return h.showCustomer(c, http.StatusUnprocessableEntity, typed{email: email, emailProblem: wrong[0].Text})
	}
	if err != nil {
		return err
	}
	said(c, key, "email", email)
	return web.SeeOther(c, views.CustomerPath(v)+"#people")
}
