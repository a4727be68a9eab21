package admin

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/mail"
	"gatehouse/views/ui"
)

// Codes are the codes that our staff are mailed; staff.Codes has them.
type Codes interface {
	Ask(ctx context.Context, by audit.Actor, d staff.Destroying) error
}

// coded lets a form be confirmed with a mailed code where a service asks for one: the answer is then a page that asks for the code
// and carries the form, without any script.
func (h *Handler) coded(do echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		typed := c.FormValue(views.FieldCode)
		if typed != "" {
			c.SetRequest(c.Request().WithContext(staff.WithCode(c.Request().Context(), typed)))
		}
		err := do(c)
		var u *staff.Unconfirmed
		if !errors.As(err, &u) {
			return err
		}
		if typed == "" {
			if err := h.sendCode(c, u.Destroying); err != nil {
				return err
			}
			return h.askCode(c, http.StatusOK, u)
		}
		return h.askCode(c, http.StatusUnprocessableEntity, u)
	}
}

// sendCode mails a code, to who signed in lately.
func (h *Handler) sendCode(c echo.Context, d staff.Destroying) error {
	if !h.Now().Before(session.Of(c).FreshUntil) {
		return signin.ErrNotFresh
	}
	return h.Codes.Ask(c.Request().Context(), actorOf(c), d)
}

// askCode shows the form for the code. What is wrong with the one that was typed stands at its field.
func (h *Handler) askCode(c echo.Context, status int, u *staff.Unconfirmed) error {
	at := c.Request().URL.Path
	p := views.CodeForm{
		Action: at, Back: backFrom(at), What: mail.CodeFor(web.Context(c), u.Action, u.Name), Email: session.Of(c).Email,
	}
	if status != http.StatusOK {
		p.Problems = []ui.Problem{{Field: views.FieldCode, Text: web.Told(c, fault.Of(u)).Public}}
	}
	form := c.Request().PostForm
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if name == session.FieldCSRF || name == views.FieldCode || name == views.FieldAgain {
			continue
		}
		for _, v := range form[name] {
			p.Carried = append(p.Carried, [2]string{name, v})
		}
	}
	f, err := h.frame(c, "code.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(p.Problems) > 0
	return web.Render(c, status, views.CodePage(f, p))
}

// backFrom is the page on which a form stands.
func backFrom(at string) string {
	if strings.HasPrefix(at, views.ProvidersPath+"/") {
		return views.ProvidersPath
	}
	return path.Dir(at)
}
