package card

import (
	"strings"

	"gatehouse/views/ui"
)

// Unread is an agent whose team was not read: it is called by its id, spelled for people.
func Unread(id string) ui.Agent { return ui.Agent{ID: id, Name: spelled(id)} }

// spelled turns "it-admin" into "IT admin". The dispatcher goes by the name of its template.
func spelled(id string) string {
	first, rest, more := strings.Cut(id, "-")
	switch {
	case first == "":
		return id
	case id == "dispatcher":
		return "Front desk"
	case first == "it":
		first = "IT"
	default:
		first = strings.ToUpper(first[:1]) + first[1:]
	}
	if !more {
		return first
	}
	return first + " " + strings.ReplaceAll(rest, "-", " ")
}
