package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// Notice is one sentence shown once on the next page, after a redirect.
type Notice struct {
	Kind string `json:"k"` // ok, warn or bad
	Text string `json:"t"`
}

const (
	flashName   = "flash"
	flashSecs   = 60
	themeName   = "theme"
	themeSecs   = 365 * 24 * 3600
	maxFlashLen = 1024
)

// Flash leaves a notice for the next page that this browser loads.
func Flash(c echo.Context, kind, text string) {
	b, err := json.Marshal(Notice{kind, text})
	if err != nil {
		return // two strings always marshal
	}
	setCookie(c, flashName, base64.RawURLEncoding.EncodeToString(b), flashSecs)
}

// TakeFlash returns the notice that was left, once; nil when there is none. A page shows its text escaped: the cookie
// is the browser's and can hold anything.
func TakeFlash(c echo.Context) *Notice {
	ck, err := c.Request().Cookie(flashName)
	if err != nil || IsPartial(c) {
		return nil
	}
	setCookie(c, flashName, "", -1)
	b, err := base64.RawURLEncoding.DecodeString(ck.Value)
	var n Notice
	if err != nil || len(b) > maxFlashLen || json.Unmarshal(b, &n) != nil || n.Text == "" {
		return nil
	}
	if n.Kind != "warn" && n.Kind != "bad" {
		n.Kind = "ok"
	}
	return &n
}

// Theme is the theme that the person chose: light, dark, or "" to follow the device.
func Theme(c echo.Context) string {
	ck, err := c.Request().Cookie(themeName)
	if err != nil || (ck.Value != "light" && ck.Value != "dark") {
		return ""
	}
	return ck.Value
}

// chooseTheme answers POST /theme.
func (h *host) chooseTheme(c echo.Context) error {
	switch t := c.FormValue("theme"); t {
	case "light", "dark":
		setCookie(c, themeName, t, themeSecs)
	default:
		setCookie(c, themeName, "", -1)
	}
	return SeeOther(c, LocalPath(c.FormValue("back"), "/"))
}

// setCookie sets a cookie that no script reads. It is Secure where the browser came over TLS.
func setCookie(c echo.Context, name, value string, seconds int) {
	c.SetCookie(&http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: overTLS(c), SameSite: http.SameSiteLaxMode,
	})
}

// overTLS reads what harden decided for the answer: it knows the configuration, and clients cannot forge it.
func overTLS(c echo.Context) bool {
	return strings.HasPrefix(c.Response().Header().Get("Strict-Transport-Security"), "max-age=")
}
