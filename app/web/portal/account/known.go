package account

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
)

// Known writes what the website itself holds about a customer; db.Known does.
type Known interface {
	// Write writes it for whoever asks, e.By, of e.CustomerID, and puts e on record.
	Write(ctx context.Context, e audit.Entry, say func(string) string, w io.Writer) error
}

// known answers POST /app/settings/data/account: what the website itself holds about the customer, as a file. It is made whole
// before the first byte is sent, so that a slow browser holds up no transaction.
func (p *Pages) known(c echo.Context) error {
	var out bytes.Buffer
	say := func(text string) string { return i18n.Say(web.Context(c), text) }
	asked := audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: p.Frames.Now().UTC(), By: actor(c), CustomerID: string(frame.Customer(c)),
		Action: "account.export", Target: string(frame.Customer(c)),
	}
	if err := p.Known.Write(c.Request().Context(), asked, say, &out); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="account.json"`)
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, out.Bytes())
}
