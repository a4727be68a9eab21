package public

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// askForgot answers GET /auth/forgot.
func (h *Handler) askForgot(c echo.Context) error {
	return h.showForgot(c, http.StatusOK, nil)
}

func (h *Handler) showForgot(c echo.Context, status int, err error) error {
	p := views.ForgotProps{Sent: c.QueryParam("sent") != "", Problems: problems(c, err)}
	return web.Render(c, status, views.Forgot(h.frame(c), p))
}

// forgot answers POST /auth/forgot: the same for every address.
func (h *Handler) forgot(c echo.Context) error {
	if err := h.Accounts.AskReset(c.Request().Context(), c.FormValue("email")); err != nil {
		return refuseSignIn(c, err, h.showForgot)
	}
	return web.SeeOther(c, views.ForgotPath+"?sent=1")
}

// askReset answers GET /auth/reset/:token. It uses nothing up: mail programs open links by themselves.
func (h *Handler) askReset(c echo.Context) error {
	if err := h.Accounts.PeekReset(c.Request().Context(), c.Param("token")); err != nil {
		return h.orGone(c, err, views.ForgotPath)
	}
	return h.showReset(c, http.StatusOK, nil)
}

func (h *Handler) showReset(c echo.Context, status int, err error) error {
	p := views.ResetProps{Action: views.ResetPath(c.Param("token")), Problems: problems(c, err)}
	return web.Render(c, status, views.Reset(h.frame(c), p))
}

// reset answers POST /auth/reset/:token. The new password ends every sign-in and API token of the person.
func (h *Handler) reset(c echo.Context) error {
	_, err := h.Accounts.Reset(c.Request().Context(), c.Param("token"), c.FormValue("password"), c.RealIP())
	if err != nil && fault.Of(err).Kind == fault.Invalid {
		return h.showReset(c, http.StatusUnprocessableEntity, err)
	}
	if err != nil {
		return h.orGone(c, err, views.ForgotPath)
	}
	web.Flash(c, "ok", views.ResetDone(c.Request().Context()))
	return web.SeeOther(c, views.SignInPath)
}

// askVerify answers GET /auth/verify/:token with a button: opening a link proves nothing and uses nothing up.
func (h *Handler) askVerify(c echo.Context) error {
	p := views.VerifyProps{Action: views.VerifyPath(c.Param("token"))}
	return web.Render(c, http.StatusOK, views.Verify(h.frame(c), p))
}

// verify answers POST /auth/verify/:token.
func (h *Handler) verify(c echo.Context) error {
	if _, err := h.Accounts.Verify(c.Request().Context(), c.Param("token")); err != nil {
		return h.orGone(c, err, views.OnboardPath)
	}
	return web.Render(c, http.StatusOK, views.Verify(h.frame(c), views.VerifyProps{Done: true}))
}

// sendVerify answers POST /auth/verify: a new link for whoever is signed in.
func (h *Handler) sendVerify(c echo.Context) error {
	who := session.Of(c)
	err := h.Accounts.AskVerify(c.Request().Context(), account.CustomerID(who.CustomerID), account.UserID(who.UserID))
	if err != nil {
		return err
	}
	web.Flash(c, "ok", views.VerifySent(c.Request().Context(), who.Email))
	return web.SeeOther(c, web.LocalPath(c.FormValue("next"), views.OnboardPath))
}

// orGone shows the page of a link that does not work any more, with the one click to a new one.
func (h *Handler) orGone(c echo.Context, err error, anew string) error {
	if !errors.Is(err, account.ErrLink) {
		return err
	}
	return web.Render(c, http.StatusGone, views.LinkGone(h.frame(c), anew))
}
