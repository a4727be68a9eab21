package account

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
)

// Known writes what the website itself holds about a customer; db.Known does.
type Known interface {
	Write(ctx context.Context, of account.CustomerID, at time.Time, say func(string) string, w io.Writer) error
}

// known answers POST /app/settings/data/account: what the website itself holds about the customer, as a file. It is made whole
// before the first byte is sent, so that a slow browser holds up no transaction.
func (p *Pages) known(c echo.Context) error {
	var out bytes.Buffer
	say := func(text string) string { return i18n.Say(web.Context(c), text) }
	if err := p.Known.Write(c.Request().Context(), frame.Customer(c), p.Frames.Now(), say, &out); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="account.json"`)
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, out.Bytes())
}
