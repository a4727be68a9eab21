package public

import (
	"slices"

	"gatehouse/app/fault"
	"gatehouse/views/ui"
)

// fieldOrder is the order of fields on the forms of this package, for error summaries.
var fieldOrder = []string{"plan", "region", "business_type", "business", "name", "email", "password", "code"}

// problems are the messages of err for a form, in the order of its fields. What belongs to no field stands first.
func problems(err error) []ui.Problem {
	if err == nil {
		return nil
	}
	f := fault.Of(err)
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
