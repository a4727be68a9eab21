package clientele

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/app/account"
)

// Bounds, in characters.
const (
	maxName    = 100
	maxAddress = 500
	maxLines   = 8 // of an address
	maxNote    = 4000
)

// tidy is what was typed without needless space.
func (f Facts) tidy() Facts {
	f.Name, f.Address = strings.Join(strings.Fields(f.Name), " "), lines(f.Address)
	f.TimeZone, f.Locale = strings.TrimSpace(f.TimeZone), strings.TrimSpace(f.Locale)
	return f
}

// lines is text without space at the ends of its lines, and without empty lines before and behind it.
func lines(text string) string {
	all := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range all {
		all[i] = strings.TrimRightFunc(all[i], unicode.IsSpace)
	}
	return strings.Trim(strings.Join(all, "\n"), "\n")
}

// faults says what does not fit, by field.
func (f Facts) faults() map[string]string {
	bad := map[string]string{}
	switch {
	case f.Name == "":
		bad["name"] = "Type the name of the business."
	case utf8.RuneCountInString(f.Name) > maxName:
		bad["name"] = "Shorten the name of the business to 100 characters or less."
	case !plain(f.Name, false):
		bad["name"] = "Letters, digits, spaces and signs only."
	}
	if utf8.RuneCountInString(f.Address) > maxAddress || strings.Count(f.Address, "\n") >= maxLines || !plain(f.Address, true) {
		bad["address"] = "Type an address of up to 8 lines and 500 characters, or leave it empty."
	}
	if !account.IsZone(f.TimeZone) {
		bad["time_zone"] = "Choose a time zone from the list, like Europe/Berlin."
	}
	return bad
}

// plain says whether text is nothing but characters that people see, with line breaks where those may be.
func plain(text string, broken bool) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsPrint(r) && !(broken && (r == '\n' || r == '\t'))
	})
}

// differing are the names of what is not the same, in their order.
func (f Facts) differing(was Facts) (names []string) {
	for name, differs := range map[string]bool{
		"name": f.Name != was.Name, "address": f.Address != was.Address, "time_zone": f.TimeZone != was.TimeZone,
		"language": f.Locale != was.Locale,
	} {
		if differs {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
