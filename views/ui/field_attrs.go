package ui

import (
	"strconv"

	"github.com/a-h/templ"
)

// common are the attributes that every kind of control takes when they are set.
func (f Field) common() templ.OrderedAttributes {
	var out templ.OrderedAttributes
	set := func(on bool, key string, value any) {
		if on {
			out = append(out, templ.KeyValue[string, any]{Key: key, Value: value})
		}
	}
	set(f.Required, "required", true)
	set(f.describedBy() != "", "aria-describedby", f.describedBy())
	set(f.Error != "", "aria-invalid", "true")
	set(f.Autocomplete != "", "autocomplete", f.Autocomplete)
	set(f.InputMode != "", "inputmode", f.InputMode)
	set(f.MaxLength > 0, "maxlength", f.maxLength())
	set(f.Code, "spellcheck", "false")
	set(f.Code, "autocapitalize", "none")
	set(f.ReadOnly, "readonly", true)
	set(f.Autofocus, "autofocus", true)
	return out
}

// optionID is the id of the control of choice i; the first is where a link to the field leads.
func (f Field) optionID(i int) string { return f.id() + "-" + strconv.Itoa(i) }
