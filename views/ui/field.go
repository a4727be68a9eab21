package ui

import (
	"context"
	"slices"
	"strconv"

	"gatehouse/views/i18n"
)

// Field is one labelled input. Kind is the type of the input, or textarea, select, radio, checkbox.
type Field struct {
	Name  string
	Label string
	Kind  string // "" is text
	Value string
	Hint  string
	Error string // makes the field invalid

	Required     bool // others are marked optional
	Autocomplete string
	InputMode    string
	Placeholder  string
	MaxLength    int
	Rows         int      // textarea
	Options      []Option // select and radio
	Checked      bool     // checkbox
	Code         bool     // typed exactly: monospaced, no spelling help
	ReadOnly     bool     // it can be looked at, and is sent along
	Autofocus    bool     // first field of a page that is one form; never in a pushed part
}

// Option is one choice of a select or radio field.
type Option struct {
	Value, Label, Hint string
	Disabled           bool
}

// WithGone puts what a select holds after its choices if it is none of them anymore: otherwise whoever saves would choose another one
// without knowing.
func WithGone(ctx context.Context, all []Option, value string) []Option {
	if value == "" || slices.ContainsFunc(all, func(o Option) bool { return o.Value == value }) {
		return all
	}
	return append(slices.Clone(all), Option{Value: value, Label: i18n.T(ctx, "ui.field.gone", "value", value)})
}

// FieldID is the id of a field's control, where links to it lead.
func FieldID(name string) string { return "f-" + name }

func (f Field) id() string { return FieldID(f.Name) }

func (f Field) kind() string {
	if f.Kind == "" {
		return "text"
	}
	return f.Kind
}

// describedBy names the hint and the error, for those who do not see where they stand.
func (f Field) describedBy() string {
	out := ""
	if f.Hint != "" {
		out = f.id() + "-hint"
	}
	if f.Error != "" {
		if out != "" {
			out += " "
		}
		out += f.id() + "-error"
	}
	return out
}

func (f Field) rows() string { return strconv.Itoa(max(f.Rows, 3)) }

func (f Field) maxLength() string { return strconv.Itoa(f.MaxLength) }
