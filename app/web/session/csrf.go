package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
)

const csrfKey = "gatehouse.csrf"

// FieldCSRF is the name of the hidden field in every form.
const FieldCSRF = "csrf"

// ErrCSRF means that a form did not come from a page of this sign-in.
var ErrCSRF = fault.New(fault.Forbidden, "csrf", "CSRF field missing or wrong",
	"This form has expired. Nothing was changed. Reload the page and try again.")

// errForm means that a form could not be read at all.
var errForm = fault.New(fault.Malformed, "bad-form", "form cannot be read",
	"The form could not be read. Nothing was changed. Reload the page and try again.")

// CSRF is the token that forms of this request's sign-in carry; "" when nobody is signed in.
func CSRF(c echo.Context) string {
	t, _ := c.Get(csrfKey).(string)
	return t
}

// CheckCSRF refuses a request that changes something under a cookie without the field of the same sign-in.
func CheckCSRF(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		want := CSRF(c)
		if want == "" || safe(c.Request().Method) {
			return next(c)
		}
		if _, err := c.FormParams(); err != nil {
			return fmt.Errorf("%w: %w", errForm, err)
		}
		if !hmac.Equal([]byte(want), []byte(c.Request().PostFormValue(FieldCSRF))) { // never from the address: it is logged
			return ErrCSRF
		}
		return next(c)
	}
}

// csrfOf derives the token from the cookie's secret: bound to the sign-in, renewed with it, and stored nowhere.
func csrfOf(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("gatehouse-csrf-v1"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// safe says whether a method never changes anything.
func safe(method string) bool {
	return method == "GET" || method == "HEAD" || method == "OPTIONS"
}
