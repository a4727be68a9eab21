package admin

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/order"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// addLog adds the lines that the address asks for: the newest ones, followed as they come; those before a line; or those with a text.
func (h *Handler) addLog(c echo.Context, p *views.OrderPage) error {
	f := order.LineFilter{Search: c.QueryParam("q")}
	if v := c.QueryParam("before"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 {
			return errNotFound
		}
		f.Before = n
	}
	ctx := web.Context(c)
	found, err := h.Orders.Lines(ctx, order.ID(p.ID), f)
	if err != nil {
		return err
	}
	p.Lines, p.Search, p.Live = logLines(ctx, found), f.Search, f.Search == "" && f.Before == 0
	if len(found) == order.MaxLines {
		p.Older = found[0].ID
	}
	return nil
}

func logLines(ctx context.Context, lines []order.Line) []ui.LogLine {
	all := make([]ui.LogLine, len(lines))
	for i, l := range lines {
		all[i] = ui.LogLine{N: int(l.ID), At: l.At, Level: l.Level, Text: i18n.Say(ctx, l.Text)}
	}
	return all
}

// logText answers GET /admin/orders/:id/log: the whole log as a file, as it is narrowed.
func (h *Handler) logText(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	o, err := h.Orders.Find(ctx, order.ID(v))
	if err != nil {
		return err
	}
	f := order.LineFilter{After: order.FromFirst, Search: c.QueryParam("q")}
	some, err := h.Orders.Lines(ctx, o.ID, f)
	if err != nil {
		return err
	}
	head := c.Response().Header()
	head.Set(echo.HeaderContentType, echo.MIMETextPlainCharsetUTF8)
	head.Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="order-%d.log"`, o.Number))
	c.Response().WriteHeader(http.StatusOK)
	out := bufio.NewWriter(c.Response())
	for len(some) > 0 {
		for _, l := range some {
			_, _ = fmt.Fprintf(out, "%s %-17s %s\n", l.At.UTC().Format(time.RFC3339), l.State, l.Text) // Flush tells of an error
		}
		f.After = some[len(some)-1].ID
		if some, err = h.Orders.Lines(ctx, o.ID, f); err != nil {
			return err
		}
	}
	return out.Flush()
}
