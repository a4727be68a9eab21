package web

import (
	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/views/i18n"
)

// Told is the fault of err in the language of the reader.
func Told(c echo.Context, err error) *fault.Fault {
	f, ctx := *fault.Of(err), Context(c)
	f.Public, f.Fields = i18n.Say(ctx, f.Public), i18n.SayAll(ctx, f.Fields)
	return &f
}
