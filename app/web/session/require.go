package session

import (
	"errors"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
)

// ErrScope means that an API token is real but does not carry the right to do this.
var ErrScope = fault.New(fault.Forbidden, "scope-missing", "API token lacks the scope",
	"This access key may not do that. Create one with the scope that the documentation names.")

// errToken is what a missing or unknown API token gets.
var errToken = fault.New(fault.Unauthorized, "token-needed", "no valid API token",
	"Send a valid access key in the header: Authorization: Bearer gth_…")

// Visitor lets everybody in and notes the customer who happens to be signed in, or else who of our staff is.
func (m *Manager) Visitor(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := m.visit(c); err != nil {
			return err
		}
		return next(c)
	}
}

func (m *Manager) visit(c echo.Context) error {
	who, err := m.Find(c, signin.Customer)
	if ignoreNone(err) != nil {
		return err
	}
	if m.note(c, who, signin.Customer); who.Signed() {
		return nil
	}
	clerk, err := m.Find(c, signin.Staff)
	if err != nil {
		return ignoreNone(err)
	}
	c.Set(clerkKey, clerk)
	c.Set(csrfKey, csrfOf(m.secret(c, signin.Staff)))
	return nil
}

// Look notes who is signed in where no guard did: in the console our staff, elsewhere as Visitor does. What goes wrong is
// as if nobody were.
func (m *Manager) Look(c echo.Context, console bool) {
	if !console {
		_ = m.visit(c)
		return
	}
	if who, err := m.Find(c, signin.Staff); err == nil {
		m.note(c, who, signin.Staff)
	}
}

// Require lets in who is signed in under kind; others get signin.ErrNone.
func (m *Manager) Require(kind signin.Kind) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			who, err := m.Find(c, kind)
			if err != nil {
				return err
			}
			m.note(c, who, kind)
			return next(c)
		}
	}
}

// Fresh lets in who proved who they are within the last ten minutes; it stands behind Require.
func (m *Manager) Fresh(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !m.now().Before(Of(c).FreshUntil) {
			return signin.ErrNotFresh
		}
		return next(c)
	}
}

// Token lets in API tokens of customers (staff false) or of our staff (staff true) that carry scope.
func (m *Manager) Token(staff bool, scope string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			who, err := m.byToken(c)
			switch {
			case err != nil:
				return err
			case who.IsStaff() != staff, !who.May(scope):
				return ErrScope
			}
			c.Set(whoKey, who)
			c.Set(managerKey, m)
			return next(c)
		}
	}
}

// byToken finds who the bearer token of the request belongs to.
func (m *Manager) byToken(c echo.Context) (Who, error) {
	token := bearer(c)
	if token == "" || m.tokens == nil {
		return Who{}, errToken
	}
	b, err := m.tokens.Authenticate(c.Request().Context(), token)
	if err != nil {
		return Who{}, err
	}
	return ofBearer(b), nil
}

// bearer is the API token of the request, "" when it carries none.
func bearer(c echo.Context) string {
	scheme, token, _ := strings.Cut(c.Request().Header.Get(echo.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") || !strings.HasPrefix(token, "gth_") {
		return ""
	}
	return token
}

// ofBearer is who an API token stands for.
func ofBearer(b account.Bearer) Who {
	return Who{
		CustomerID: string(b.Token.CustomerID), UserID: string(b.Token.UserID), StaffID: b.Token.StaffID,
		Email: b.Email, Name: b.Name, Role: b.Role, Chat: b.Chat, Approve: b.Approve, TimeZone: "UTC",
		Method: ByToken, Scopes: []string{string(b.Token.Scope)},
	}
}

const (
	managerKey = "gatehouse.sessions"
	rightKey   = "gatehouse.right"
)

// Allowed lets in people of a customer who may do what a route does; others read who can change that. It stands behind what
// finds out who that is.
func Allowed(right account.Right) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := Of(c).Rights().Require(right); err != nil {
				return err
			}
			c.Set(rightKey, right)
			return next(c)
		}
	}
}

// note puts who and the CSRF token of the sign-in into the request.
func (m *Manager) note(c echo.Context, who Who, kind signin.Kind) {
	c.Set(whoKey, who)
	c.Set(managerKey, m)
	if who.Signed() {
		c.Set(csrfKey, csrfOf(m.secret(c, kind)))
	}
}

// Anew has the sign-in of this request read anew by the next one: what pages show of the person has changed.
func Anew(c echo.Context) {
	if m, ok := c.Get(managerKey).(*Manager); ok {
		m.cache.Forget(Of(c).SigninID)
	}
}

// Changed has every sign-in of somebody read anew, and closes at once the open pages of those that ended: what they may do has
// changed, or they no longer may do anything. Other processes find out within seconds.
func Changed(c echo.Context, who signin.Subject) {
	if m, ok := c.Get(managerKey).(*Manager); ok {
		m.cache.ForgetOf(who)
		m.watch.check(c.Request().Context())
	}
}

// ignoreNone drops signin.ErrNone, for where nobody signed in is an answer and not a fault.
func ignoreNone(err error) error {
	if errors.Is(err, signin.ErrNone) {
		return nil
	}
	return err
}
