package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/clientele"
	"gatehouse/app/page"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// Clientele is what our staff do with customers; clientele.Service has it.
type Clientele interface {
	List(ctx context.Context, ask page.Ask) (page.Of[clientele.Card], error)
	Find(ctx context.Context, id account.CustomerID) (clientele.Card, error)
	Create(ctx context.Context, f clientele.Facts, email string, by audit.Actor) (clientele.Card, error)
	Change(
		ctx context.Context, of account.CustomerID, edit func(was clientele.Facts) clientele.Facts, by audit.Actor,
	) (clientele.Card, error)
	Invite(ctx context.Context, of account.CustomerID, email string, by audit.Actor) (account.Invitation, error)
	Withdraw(ctx context.Context, of account.CustomerID, by audit.Actor) (email string, err error)
	AddNote(ctx context.Context, of account.CustomerID, text string, by audit.Actor) (clientele.Note, error)
	Notes(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[clientele.Note], error)
}

// customerRoutes are those about customers.
func (h *handler) customerRoutes() []web.Route {
	at := func(method, path string, needs staff.Permission, do echo.HandlerFunc) web.Route {
		if method == http.MethodPost {
			do = h.once().Wrap(do)
		}
		return web.Route{
			Method: method, Path: root + "/admin/customers" + path, For: web.StaffToken, Needs: needs,
			Scope: string(account.ScopeAdmin), Limit: web.LimitAPI, Do: do,
		}
	}
	get, post := http.MethodGet, http.MethodPost
	return []web.Route{
		at(get, "", staff.CustomersRead, h.adminCustomers), at(post, "", staff.CustomersWrite, h.createCustomer),
		at(get, "/:id", staff.CustomersRead, h.adminCustomer), at(http.MethodPatch, "/:id", staff.CustomersWrite, h.changeCustomer),
		at(post, "/:id/invitation", staff.CustomersWrite, h.inviteOwner),
		at(http.MethodDelete, "/:id/invitation", staff.CustomersWrite, h.withdrawOwner),
		at(get, "/:id/notes", staff.CustomersRead, h.customerNotes), at(post, "/:id/notes", staff.CustomersWrite, h.addNote),
	}
}

// adminCustomer is a customer as staff see it.
type adminCustomer struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Address   string    `json:"address"`
	TimeZone  string    `json:"time_zone"`
	Language  string    `json:"language"`
	Owner     *string   `json:"owner"`
	Invited   *string   `json:"invited"`
	CreatedAt time.Time `json:"created_at"`
}

func customerCard(v clientele.Card) adminCustomer {
	return adminCustomer{
		ID: string(v.ID), Name: v.Name, Address: v.Address, TimeZone: v.TimeZone, Language: v.Locale, Owner: some(v.Owner),
		Invited: some(v.Invited), CreatedAt: v.CreatedAt,
	}
}

// some is text that may be missing.
func some(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// adminCustomers answers GET admin/customers.
func (h *handler) adminCustomers(c echo.Context) error {
	ask, err := sought(c)
	if err != nil {
		return err
	}
	of, err := h.Clientele.List(c.Request().Context(), ask)
	return answer(c, of, err, customerCard)
}

// customerID is the customer that a path names.
func customerID(c echo.Context) (account.CustomerID, error) {
	id, err := idParam(c, "id")
	return account.CustomerID(id), err
}

// adminCustomer answers GET admin/customers/{id}.
func (h *handler) adminCustomer(c echo.Context) error {
	id, err := customerID(c)
	if err != nil {
		return err
	}
	return h.sendCustomer(c, id)
}

// sendCustomer answers with a customer as it is now.
func (h *handler) sendCustomer(c echo.Context, id account.CustomerID) error {
	v, err := h.Clientele.Find(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, customerCard(v))
}

// newCustomer is the body of POST admin/customers.
type newCustomer struct {
	Name     string `json:"name"`
	Address  string `json:"address"`
	TimeZone string `json:"time_zone"`
	Language string `json:"language"`
	Email    string `json:"email"`
}

// spoken refuses a language that pages and mails are not written in.
func spoken(language string) error {
	if language != "" && language != "en" && language != "de" {
		return jsonbody.Bad("language must be en or de.")
	}
	return nil
}

// createCustomer answers POST admin/customers.
func (h *handler) createCustomer(c echo.Context) error {
	var in newCustomer
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if err := spoken(in.Language); err != nil {
		return err
	}
	facts := clientele.Facts{Name: in.Name, Address: in.Address, TimeZone: in.TimeZone, Locale: in.Language}
	v, err := h.Clientele.Create(c.Request().Context(), facts, in.Email, clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, customerCard(v))
}

// customerChange is the body of PATCH admin/customers/{id}; what is left out stays.
type customerChange struct {
	Name     *string `json:"name"`
	Address  *string `json:"address"`
	TimeZone *string `json:"time_zone"`
	Language *string `json:"language"`
}

func (in customerChange) edit(f clientele.Facts) clientele.Facts {
	for to, v := range map[*string]*string{&f.Name: in.Name, &f.Address: in.Address, &f.TimeZone: in.TimeZone, &f.Locale: in.Language} {
		if v != nil {
			*to = *v
		}
	}
	return f
}

// changeCustomer answers PATCH admin/customers/{id}.
func (h *handler) changeCustomer(c echo.Context) error {
	id, err := customerID(c)
	if err != nil {
		return err
	}
	var in customerChange
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if in.Language != nil {
		if err := spoken(*in.Language); err != nil {
			return err
		}
	}
	v, err := h.Clientele.Change(c.Request().Context(), id, in.edit, clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, customerCard(v))
}

// inviteOwner answers POST admin/customers/{id}/invitation.
func (h *handler) inviteOwner(c echo.Context) error {
	id, err := customerID(c)
	if err != nil {
		return err
	}
	var in struct {
		Email string `json:"email"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if _, err := h.Clientele.Invite(c.Request().Context(), id, in.Email, clerk(c)); err != nil {
		return err
	}
	return h.sendCustomer(c, id)
}

// withdrawOwner answers DELETE admin/customers/{id}/invitation.
func (h *handler) withdrawOwner(c echo.Context) error {
	id, err := customerID(c)
	if err != nil {
		return err
	}
	if _, err := h.Clientele.Withdraw(c.Request().Context(), id, clerk(c)); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// customerNote is a note of our staff about a customer.
type customerNote struct {
	ID   string    `json:"id"`
	Text string    `json:"text"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
}

func noteOf(n clientele.Note) customerNote {
	return customerNote{ID: n.ID, Text: n.Text, By: n.By, At: n.At}
}

// customerNotes answers GET admin/customers/{id}/notes.
func (h *handler) customerNotes(c echo.Context) error {
	id, err := customerID(c)
	if err != nil {
		return err
	}
	ask, err := asked(c)
	if err != nil {
		return err
	}
	if _, err := h.Clientele.Find(c.Request().Context(), id); err != nil {
		return err
	}
	of, err := h.Clientele.Notes(c.Request().Context(), id, ask)
	return answer(c, of, err, noteOf)
}

// addNote answers POST admin/customers/{id}/notes.
func (h *handler) addNote(c echo.Context) error {
	id, err := customerID(c)
	if err != nil {
		return err
	}
	var in struct {
		Text string `json:"text"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	n, err := h.Clientele.AddNote(c.Request().Context(), id, in.Text, clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, noteOf(n))
}
