package portal

import "gatehouse/views/ui"

// Problems makes the summary of a refused form, in the order of fields.
func Problems(bad map[string]string, fields ...string) []ui.Problem {
	var out []ui.Problem
	for _, field := range fields {
		if bad[field] != "" {
			out = append(out, ui.Problem{Field: field, Text: bad[field]})
		}
	}
	return out
}
