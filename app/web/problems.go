package web

import "gatehouse/app/fault"

// ProblemsAt gives the problems of a refused form by field; a refusal that names no field stands at the given one.
func ProblemsAt(field string, f *fault.Fault) map[string]string {
	if len(f.Fields) > 0 {
		return f.Fields
	}
	return map[string]string{field: f.Public}
}
