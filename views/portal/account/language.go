package account

import (
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// languages are those that a person may choose, each named in itself.
func languages() []ui.Option {
	out := make([]ui.Option, 0, len(i18n.Languages))
	for _, l := range i18n.Languages {
		out = append(out, ui.Option{Value: l.Locale, Label: l.Name})
	}
	return out
}
