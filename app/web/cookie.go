package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/views/i18n"
)

// Notice is one sentence shown once on the next page, after a redirect.
type Notice struct {
	Kind string `json:"k"` // ok, warn or bad
	Text string `json:"t"`
	Undo *Undo  `json:"u,omitempty"`
	Link *Link  `json:"l,omitempty"`
}

// Undo is a form that takes back what a notice says. It can do what a press of its reader can do without a signature, and no
// more: nothing that gives power.
type Undo struct {
	Path   string            `json:"p"` // below undoBase
	Fields map[string]string `json:"f,omitempty"`
}

// Link is a page on which what a notice says can be taken back, where doing so gives power: there it takes what giving it takes.
type Link struct {
	Path  string `json:"p"` // below undoBase
	Label string `json:"t"`
}

// undoBase is where pages of customers lie.
const undoBase = "/app/"

const (
	flashName    = "flash"
	flashSecs    = 60
	themeName    = "theme"
	themeSecs    = 365 * 24 * 3600
	languageName = "language"
	languageSecs = 365 * 24 * 3600
	maxFlashLen  = 2048
)

// Flash leaves a notice for the next page that this browser loads.
func Flash(c echo.Context, kind, text string) { leave(c, Notice{Kind: kind, Text: text}) }

// FlashUndo is Flash of something that was done, with the way to take it back.
func FlashUndo(c echo.Context, text string, undo Undo) {
	leave(c, Notice{Kind: "ok", Text: text, Undo: &undo})
}

// FlashLink is Flash of something that was done, with the page on which it can be taken back.
func FlashLink(c echo.Context, text string, l Link) {
	leave(c, Notice{Kind: "ok", Text: text, Link: &l})
}

// flashCookie is the name of the notice's cookie. Over TLS no other name of our domain, such as that of a customer's server, can set
// one of this name.
func flashCookie(c echo.Context) string {
	if overTLS(c) {
		return "__Host-" + flashName
	}
	return flashName
}

func leave(c echo.Context, n Notice) {
	b, err := json.Marshal(n)
	if err != nil {
		return // strings always marshal
	}
	setCookie(c, flashCookie(c), base64.RawURLEncoding.EncodeToString(b), flashSecs)
}

// TakeFlash returns the notice that was left, once; nil when there is none. A page shows its text escaped: the cookie
// is the browser's and can hold anything.
func TakeFlash(c echo.Context) *Notice {
	ck, err := c.Request().Cookie(flashCookie(c))
	if err != nil || IsPartial(c) {
		return nil
	}
	setCookie(c, flashCookie(c), "", -1)
	b, err := base64.RawURLEncoding.DecodeString(ck.Value)
	var n Notice
	if err != nil || len(b) > maxFlashLen || json.Unmarshal(b, &n) != nil || n.Text == "" {
		return nil
	}
	if n.Kind != "warn" && n.Kind != "bad" {
		n.Kind = "ok"
	}
	if n.Undo != nil && !ours(&n.Undo.Path) {
		n.Undo = nil
	}
	if n.Link != nil && !ours(&n.Link.Path) {
		n.Link = nil
	}
	return &n
}

// ours cleans the path of a way back, and reports whether it lies below undoBase.
func ours(path *string) bool {
	*path = LocalPath(*path, "")
	return strings.HasPrefix(*path, undoBase)
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

// chosenLanguage is the locale that a person chose in this browser; "" when they did not.
func chosenLanguage(c echo.Context) string {
	ck, err := c.Request().Cookie(languageName)
	if err != nil || !i18n.Offered(ck.Value) {
		return ""
	}
	return ck.Value
}

// chooseLanguage answers POST /language.
func (h *host) chooseLanguage(c echo.Context) error {
	KeepLanguage(c, c.FormValue("language"))
	return SeeOther(c, LocalPath(c.FormValue("back"), "/"))
}

// KeepLanguage lets this browser's pages come in locale from now on; one that is not offered takes the choice back.
func KeepLanguage(c echo.Context, locale string) {
	if !i18n.Offered(locale) {
		setCookie(c, languageName, "", -1)
		return
	}
	setCookie(c, languageName, locale, languageSecs)
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
