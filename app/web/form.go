package web

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
)

// errNotText refuses a form with text that no database keeps.
var errNotText = fault.New(fault.Malformed, "not-text", "a form with a zero byte or invalid UTF-8",
	"The form contains something that is not text. Nothing was changed.")

// onlyText refuses forms with a zero byte or invalid UTF-8 in them: no keyboard types either, and neither reaches the database
// as it was sent. bun leaves out the first and writes U+FFFD for the second.
func onlyText(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		fields, err := c.FormParams()
		if err != nil {
			return next(c) // what reads the form says so
		}
		for _, values := range fields {
			if slices.ContainsFunc(values, notText) {
				return errNotText
			}
		}
		return next(c)
	}
}

func notText(s string) bool { return strings.Contains(s, "\x00") || !utf8.ValidString(s) }
