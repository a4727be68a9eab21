package setting

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatehouse/app/fault"
)

// Category groups settings on the page.
type Category string

// The categories, in the order of the page.
const (
	Company      Category = "company"
	Orders       Category = "orders"
	Provisioning Category = "provisioning"
	Providers    Category = "providers"
	Names        Category = "names"
	Servers      Category = "servers"
	Security     Category = "security"
	Mail         Category = "mail"
	Billing      Category = "billing"
	Running      Category = "running"
)

// Categories lists them.
func Categories() []Category {
	return []Category{Company, Orders, Provisioning, Providers, Names, Servers, Security, Mail, Billing, Running}
}

// Kind says what values a setting takes.
type Kind string

// The kinds.
const (
	Number Kind = "number" // a whole number within bounds
	Switch Kind = "switch" // on or off
	Choice Kind = "choice" // one of a few words
	Text   Kind = "text"   // a line, or a few
	Secret Kind = "secret" // a line that is kept sealed and never shown
)

// The values of a switch.
const (
	On  = "on"
	Off = "off"
)

// Unit is what a number counts.
type Unit string

// The units. Those of time stand for a length of it.
const (
	Seconds   Unit = "seconds"
	Minutes   Unit = "minutes"
	Hours     Unit = "hours"
	Days      Unit = "days"
	Years     Unit = "years" // of a calendar: no length
	Pieces    Unit = "pieces"
	PerMinute Unit = "per_minute"
	Beats     Unit = "beats"
	Megabytes Unit = "megabytes"
	Gigabytes Unit = "gigabytes"
)

// length is what one of a unit of time lasts; zero for the others.
func (u Unit) length() time.Duration {
	switch u {
	case Seconds:
		return time.Second
	case Minutes:
		return time.Minute
	case Hours:
		return time.Hour
	case Days:
		return 24 * time.Hour
	}
	return 0
}

// Spec is what a setting is. Its words for people are in the catalogue, by its key.
type Spec struct {
	Key      Key
	Category Category
	Kind     Kind
	Default  string
	Unit     Unit     // Number
	Min, Max int      // Number
	Choices  []string // Choice
	Lines    int      // Text: at most so many; 0: one
	Empty    bool     // Text: it may be empty when it is changed, too
	Env      string   // the variable of the environment that gives its default; empty: none
	Fresh    bool     // it is changed after a sign-in of the last minutes alone

	check func(text string) string // says what is wrong with a text; nil: any will do
}

// maxText is how long a text may be, in characters.
const maxText = 500

// IsSecret says whether nobody may read the value.
func (s Spec) IsSecret() bool { return s.Kind == Secret }

// Parse reads a value as it was typed and gives it as it is kept, or says what does not fit.
func (s Spec) Parse(typed string) (string, error) {
	value, problem := s.parse(strings.TrimSpace(strings.ReplaceAll(typed, "\r\n", "\n")))
	if problem != "" {
		return "", fault.Bad(map[string]string{"value": problem})
	}
	return value, nil
}

func (s Spec) parse(typed string) (value, problem string) {
	switch s.Kind {
	case Number:
		n, err := strconv.Atoi(typed)
		if err != nil || n < s.Min || n > s.Max {
			return "", "Type a whole number from " + strconv.Itoa(s.Min) + " to " + strconv.Itoa(s.Max) + "."
		}
		return strconv.Itoa(n), ""
	case Switch:
		if typed != On && typed != Off {
			return "", "Choose on or off."
		}
		return typed, ""
	case Choice:
		if !slices.Contains(s.Choices, typed) {
			return "", "Choose one of: " + strings.Join(s.Choices, ", ") + "."
		}
		return typed, ""
	}
	return typed, s.fault(typed)
}

// fault says what is wrong with a text.
func (s Spec) fault(typed string) string {
	odd := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) || r == utf8.RuneError }
	switch {
	case typed == "" && !s.Empty:
		return "Type something, or reset the setting to its default."
	case utf8.RuneCountInString(typed) > maxText:
		return "At most 500 characters."
	case strings.ContainsFunc(typed, odd), strings.Count(typed, "\n") >= max(s.Lines, 1):
		return "Letters, digits, spaces and signs only, on no more lines than the field shows."
	case typed == "" || s.check == nil:
		return ""
	}
	return s.check(typed)
}

// Find finds a setting.
func Find(k Key) (Spec, bool) {
	s, found := byKey[k]
	return s, found
}

// Specs lists all settings, by category.
func Specs() []Spec { return slices.Clone(specs) }

// byKey finds settings.
var byKey = func() map[Key]Spec {
	all := make(map[Key]Spec, len(specs))
	for _, s := range specs {
		all[s.Key] = s
	}
	return all
}()
