package web

import (
	"encoding/base64"
	"strings"

	"github.com/labstack/echo/v4"
)

const (
	typedName = "typed"
	typedSecs = 600  // to sign in again
	maxTyped  = 2500 // bytes: a cookie holds little more
)

// typedCookie is the name of the cookie with what was typed.
func typedCookie(c echo.Context) string {
	if overTLS(c) {
		return "__Host-" + typedName
	}
	return typedName
}

// keepTyped leaves what was typed into a form in its sender's browser. What is too long is not kept.
func keepTyped(c echo.Context, text string) {
	if text != "" && len(text) <= maxTyped {
		setCookie(c, typedCookie(c), base64.RawURLEncoding.EncodeToString([]byte(c.Request().URL.Path+"\n"+text)), typedSecs)
	}
}

// TakeTyped is what this browser's person typed into the form at path before they had to sign in again; empty: nothing. It is
// there once. A page shows it escaped and sends nothing by itself: the cookie is the browser's.
func TakeTyped(c echo.Context, path string) string {
	ck, err := c.Request().Cookie(typedCookie(c))
	if err != nil || IsPartial(c) {
		return ""
	}
	b, err := base64.RawURLEncoding.DecodeString(ck.Value)
	at, text, _ := strings.Cut(string(b), "\n")
	if err != nil || at != path {
		return ""
	}
	setCookie(c, typedCookie(c), "", -1)
	if len(text) > maxTyped {
		return ""
	}
	return text
}
