package public

import (
	"slices"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	"gatehouse/views/ui"
)

// fieldOrder is the order of fields on the forms of this package, for error summaries.
var fieldOrder = []string{"plan", "region", "business_type", "domain", "business", "name", "email", "password", "admin_key", "code"}

// problems are the messages of err for a form, in the order of its fields. What belongs to no field stands first.
func problems(c echo.Context, err error) []ui.Problem {
	if err == nil {
		return nil
	}
	f := web.Told(c, err)
	if len(f.Fields) == 0 {
		return []ui.Problem{{Text: f.Public}}
	}
	var out []ui.Problem
	for field, text := range f.Fields {
		out = append(out, ui.Problem{Field: field, Text: text})
	}
	slices.SortFunc(out, func(a, b ui.Problem) int {
		return slices.Index(fieldOrder, a.Field) - slices.Index(fieldOrder, b.Field)
	})
	return out
}
