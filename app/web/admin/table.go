package admin

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/web"
)

// table is a list that is sent as CSV.
type table struct {
	c    echo.Context
	out  *csv.Writer
	name string
	cols []string
}

// newTable begins one, named by the day it is made.
func newTable(c echo.Context, name string, now time.Time, cols []string) *table {
	return &table{c: c, out: csv.NewWriter(c.Response()), name: name + "-" + now.UTC().Format(time.DateOnly) + ".csv", cols: cols}
}

// write sends a stretch of the list, the first with what comes before it: until then an error is answered with a page.
func write[T any](t *table, some []T, cells func(T) []string) error {
	if !t.c.Response().Committed {
		head := t.c.Response().Header()
		head.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
		head.Set(echo.HeaderContentDisposition, `attachment; filename="`+t.name+`"`)
		t.c.Response().WriteHeader(http.StatusOK)
		_ = t.out.Write(t.cols) // Flush tells of an error
	}
	if err := web.Allow(t.c, exportWait); err != nil {
		return err
	}
	for _, v := range some {
		row := cells(v)
		for i := range row {
			row[i] = audit.Inert(row[i])
		}
		_ = t.out.Write(row)
	}
	t.out.Flush()
	if err := t.out.Error(); err != nil {
		return fmt.Errorf("export %s: %w", t.name, err)
	}
	return nil
}
