package web

import (
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
)

// errNotText refuses a form with text that no database keeps.
var errNotText = fault.New(fault.Malformed, "not-text", "a form with a zero byte", "What was sent is not all text. Nothing was changed.")

// onlyText refuses forms with a zero byte in them: no keyboard types one, and no database keeps it.
func onlyText(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		fields, err := c.FormParams()
		if err != nil {
			return next(c) // what reads the form says so
		}
		for _, values := range fields {
			if strings.Contains(strings.Join(values, ""), "\x00") {
				return errNotText
			}
		}
		return next(c)
	}
}
