package bare

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/uptrace/bun"

	"gatehouse/db"
)

// The variables that tell the page's program what to show.
const (
	DSN      = "GATEHOUSE_BENCH_DSN"
	Customer = "GATEHOUSE_BENCH_CUSTOMER"
	Size     = "GATEHOUSE_BENCH_SIZE" // of the page, in bytes
)

// PagePath is where the page is, and Rows how many approvals it shows at most.
const (
	PagePath = "/app/approvals"
	Rows     = 40
)

// row is what the control reads of an approval.
type row struct {
	bun.BaseModel `bun:"table:approvals,alias:a"`
	ID            string
	Code          string
	Agent         string
	Tool          string
	Tier          string
	Digest        string
	Summary       string
	Reason        string
	ExpiresAt     time.Time
}

// servePage answers the page's address with bare echo, bun and templ.
func servePage(ctx context.Context) error {
	d, err := db.Open(ctx, os.Getenv(DSN))
	if err != nil {
		return err
	}
	defer d.Close()
	want, err := strconv.Atoi(os.Getenv(Size))
	if err != nil {
		return err
	}
	read := func(ctx context.Context) (rows []row, err error) {
		err = d.NewSelect().Model(&rows).Where("a.customer_id = ?", os.Getenv(Customer)).Where("a.state = 'pending'").
			OrderExpr("a.expires_at").Limit(Rows).Scan(ctx)
		return rows, err
	}
	filler, err := fillerFor(ctx, read, want)
	if err != nil {
		return err
	}
	e := echo.New()
	e.GET(PagePath, func(c echo.Context) error {
		rows, err := read(c.Request().Context())
		if err != nil {
			return err
		}
		buf := templ.GetBuffer()
		defer templ.ReleaseBuffer(buf)
		if err := page(rows, filler).Render(c.Request().Context(), buf); err != nil {
			return err
		}
		c.Response().Header().Set(echo.HeaderContentLength, strconv.Itoa(buf.Len()))
		return c.HTMLBlob(http.StatusOK, buf.Bytes())
	})
	return listen(ctx, e)
}

// fillerFor says how much filler a row needs until the page has as many bytes as wanted.
func fillerFor(ctx context.Context, read func(context.Context) ([]row, error), want int) (int, error) {
	rows, err := read(ctx)
	if err != nil {
		return 0, err
	}
	for filler := range 10_000 {
		var whole bytes.Buffer
		if err := page(rows, filler).Render(ctx, &whole); err != nil || whole.Len() >= want {
			return filler, err
		}
	}
	return 0, errors.New("the control's page never gets as long as the real one")
}
