package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/signin"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/session"
)

// People is what the API needs of the people of a customer; account.Service has it.
type People interface {
	People(ctx context.Context, of account.CustomerID) ([]account.Person, error)
	Invitations(ctx context.Context, of account.CustomerID) ([]account.Invitation, error)
	Invite(ctx context.Context, of account.CustomerID, email string, chat, approve bool, by audit.Actor) (account.Invitation, error)
	Uninvite(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (account.Invitation, error)
	SetRights(ctx context.Context, of account.CustomerID, id account.UserID, r account.Rights, by audit.Actor) (account.User, error)
	Remove(ctx context.Context, of account.CustomerID, id account.UserID, by audit.Actor) (account.User, error)
}

// The states of a user of the API.
const (
	userActive  = "active"
	userInvited = "invited"
	userRemoved = "removed"
)

// user is a person of the customer, or somebody who is invited.
type user struct {
	ID        string       `json:"id"`
	State     string       `json:"state"`
	Name      string       `json:"name"`
	Email     string       `json:"email"`
	Role      account.Role `json:"role"`
	Chat      bool         `json:"chat"`
	Approve   bool         `json:"approve"`
	CreatedAt time.Time    `json:"created_at"`
	SeenAt    *time.Time   `json:"seen_at"`
	ExpiresAt *time.Time   `json:"expires_at"`
}

func userOf(u account.User, state string) user {
	r := u.Rights()
	return user{
		ID: string(u.ID), State: state, Name: u.Name, Email: u.Email, Role: u.Role, Chat: r.May(account.Chat),
		Approve: r.May(account.Approve), CreatedAt: u.CreatedAt,
	}
}

func personOf(p account.Person) user {
	u := userOf(p.User, userActive)
	if !p.Seen.IsZero() {
		u.SeenAt = &p.Seen
	}
	return u
}

func invitedOf(i account.Invitation, state string) user {
	return user{
		ID: i.ID, State: state, Email: i.Email, Role: account.Member, Chat: i.Chat, Approve: i.Approve, CreatedAt: i.CreatedAt,
		ExpiresAt: &i.ExpiresAt,
	}
}

// users answers GET users: the people of the customer, and who is invited, by id.
func (h *handler) users(c echo.Context) error {
	ask, err := asked(c)
	if err != nil {
		return err
	}
	ctx, of := c.Request().Context(), customerOf(c)
	people, err := h.People.People(ctx, of)
	if err != nil {
		return err
	}
	open, err := h.People.Invitations(ctx, of)
	if err != nil {
		return err
	}
	all := make([]user, 0, len(people)+len(open))
	for _, p := range people {
		all = append(all, personOf(p))
	}
	for _, i := range open {
		all = append(all, invitedOf(i, userInvited))
	}
	slices.SortFunc(all, func(a, b user) int { return strings.Compare(a.ID, b.ID) })
	all = slices.DeleteFunc(all, func(u user) bool { return u.ID <= strings.ToLower(ask.After) })
	return c.JSON(http.StatusOK, list(page.Cut(all, ask.Limit, func(u user) string { return u.ID }), func(u user) user { return u }))
}

// inviteRequest is the body of POST users.
type inviteRequest struct {
	Email   string `json:"email"`
	Chat    bool   `json:"chat"`
	Approve bool   `json:"approve"`
}

// inviteUser answers POST users.
func (h *handler) inviteUser(c echo.Context) error {
	var in inviteRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	i, err := h.People.Invite(c.Request().Context(), customerOf(c), in.Email, in.Chat, in.Approve, actorOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, invitedOf(i, userInvited))
}

// rightsRequest is the body of PATCH users/{id}; what is left out stays.
type rightsRequest struct {
	Role    *account.Role `json:"role"`
	Chat    *bool         `json:"chat"`
	Approve *bool         `json:"approve"`
}

// setRights answers PATCH users/{id}.
func (h *handler) setRights(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in rightsRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	ctx, of := c.Request().Context(), customerOf(c)
	people, err := h.People.People(ctx, of)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(people, func(p account.Person) bool { return string(p.ID) == id })
	if at < 0 {
		return echo.NewHTTPError(http.StatusNotFound)
	}
	u, err := h.People.SetRights(ctx, of, people[at].ID, in.over(people[at].Rights()), actorOf(c))
	if err != nil {
		return err
	}
	session.Changed(c, signin.Subject{CustomerID: string(of), UserID: id})
	return c.JSON(http.StatusOK, userOf(u, userActive))
}

// over is what the rights become.
func (in rightsRequest) over(r account.Rights) account.Rights {
	if in.Role != nil {
		r.Role = *in.Role
	}
	if in.Chat != nil {
		r.Chat = *in.Chat
	}
	if in.Approve != nil {
		r.Approve = *in.Approve
	}
	return r
}

// removeUser answers DELETE users/{id}: of a person, or of an invitation.
func (h *handler) removeUser(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	ctx, of := c.Request().Context(), customerOf(c)
	u, err := h.People.Remove(ctx, of, account.UserID(id), actorOf(c))
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		i, err := h.People.Uninvite(ctx, of, id, actorOf(c))
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, invitedOf(i, userRemoved))
	}
	if err != nil {
		return err
	}
	session.Changed(c, signin.Subject{CustomerID: string(of), UserID: id})
	return c.JSON(http.StatusOK, userOf(u, userRemoved))
}

// actorOf is who asks, for the record.
func actorOf(c echo.Context) audit.Actor {
	who := session.Of(c)
	return audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: c.RealIP()}
}
