package session

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/signin"
)

// Tokens finds whom an API token stands for; account.Tokens does.
type Tokens interface {
	// Authenticate returns whom the whole token (gth_…) stands for, or a fault of kind Unauthorized.
	Authenticate(ctx context.Context, secret string) (account.Bearer, error)
}

// Manager opens, finds and ends sign-ins for requests.
type Manager struct {
	desk   signin.Desk
	tokens Tokens
	secure bool // behind TLS: cookies are Secure and carry the __Host- prefix
	now    func() time.Time
	watch  *watch
	cache  *signin.Cache

	tokenEvery time.Duration
}

// New makes a Manager. secure says that browsers reach the hub over TLS.
func New(desk signin.Desk, tokens Tokens, secure bool) *Manager {
	cache := &signin.Cache{Store: desk.Store, Now: desk.Now}
	desk.Store = cache
	return &Manager{desk: desk, tokens: tokens, secure: secure, now: desk.Now, watch: newWatch(desk), cache: cache, tokenEvery: tokenEvery}
}

// Open signs who in under kind: a new secret in the cookie, the browser's earlier sign-in of that kind ended.
func (m *Manager) Open(c echo.Context, kind signin.Kind, who signin.Subject) error {
	old := m.secret(c, kind)
	from := signin.Origin{Address: c.RealIP(), Browser: c.Request().UserAgent()}
	s, secret, err := m.desk.Open(c.Request().Context(), kind, who, from, old)
	if err != nil {
		return err
	}
	m.setCookie(c, kind, secret, s.ExpiresAt)
	return nil
}

// Close ends the sign-in of kind that the browser holds, closes its streams and forgets its cookie.
func (m *Manager) Close(c echo.Context, kind signin.Kind) error {
	m.dropCookie(c, kind)
	s, _, err := m.desk.Find(c.Request().Context(), kind, m.secret(c, kind))
	if err != nil {
		return ignoreNone(err)
	}
	if err := m.desk.Store.End(c.Request().Context(), s.ID); err != nil {
		return err
	}
	m.watch.end(s.ID)
	return nil
}

// CloseAll ends every sign-in of who but keep ("" for all) and closes their streams: sign out everywhere, and what a
// new password or another role asks for. It says how many it ended.
func (m *Manager) CloseAll(ctx context.Context, who signin.Subject, keep string) (int, error) {
	ended, err := m.desk.Store.EndOthers(ctx, who, keep)
	if err != nil {
		return 0, err
	}
	m.watch.end(ended...)
	return len(ended), nil
}

// Find returns who the request's sign-in of kind belongs to, or signin.ErrNone.
func (m *Manager) Find(c echo.Context, kind signin.Kind) (Who, error) {
	s, p, err := m.desk.Find(c.Request().Context(), kind, m.secret(c, kind))
	if err != nil {
		return Who{}, err
	}
	return Who{
		SigninID: s.ID, CustomerID: s.CustomerID, UserID: s.UserID, StaffID: s.StaffID,
		Email: p.Email, Name: p.Name, Role: p.Role, Chat: p.Chat, Approve: p.Approve, Business: p.Business,
		TimeZone: p.TimeZone, Locale: p.Locale,
		Method: BySession, FreshUntil: s.FreshAt.Add(signin.FreshFor),
	}, nil
}

// secret is what the browser's cookie of kind holds, "" when there is none.
func (m *Manager) secret(c echo.Context, kind signin.Kind) string {
	ck, err := c.Request().Cookie(m.CookieName(kind))
	if err != nil {
		return ""
	}
	return ck.Value
}

var cookies = map[signin.Kind]string{signin.Customer: "sid", signin.CustomerPending: "pid", signin.Staff: "ssid", signin.Pending: "psid"}

// CookieName names the cookie of a kind of sign-in.
func (m *Manager) CookieName(kind signin.Kind) string {
	name := cookies[kind]
	if m.secure {
		return "__Host-" + name
	}
	return name
}

func (m *Manager) setCookie(c echo.Context, kind signin.Kind, secret string, until time.Time) {
	c.SetCookie(&http.Cookie{
		Name: m.CookieName(kind), Value: secret, Path: "/", Expires: until,
		Secure: m.secure, HttpOnly: true, SameSite: sameSite(kind),
	})
}

func (m *Manager) dropCookie(c echo.Context, kind signin.Kind) {
	c.SetCookie(&http.Cookie{
		Name: m.CookieName(kind), Path: "/", MaxAge: -1,
		Secure: m.secure, HttpOnly: true, SameSite: sameSite(kind),
	})
}

// sameSite is Strict for staff; customers arrive from links in mails and messengers, so Lax.
func sameSite(kind signin.Kind) http.SameSite {
	if kind == signin.Customer {
		return http.SameSiteLaxMode
	}
	return http.SameSiteStrictMode
}
