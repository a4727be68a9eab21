package setting

import (
	"strconv"
	"strings"
	"time"

	"gatehouse/app/fault"
)

// Key names a setting.
type Key string

// The settings.
const (
	OrderPromise  Key = "orders.promised_minutes"
	ApprovalAfter Key = "approvals.mail_after_minutes"
	ApprovalPause Key = "approvals.mail_pause_minutes"
)

// Spec is what a setting is: a whole number of minutes within bounds. Its words for people are in the catalogue, by its key.
type Spec struct {
	Key      Key
	Category string // orders, mail
	Default  int
	Min, Max int
}

// specs are all settings, by category, in the order of the page.
var specs = []Spec{
	{OrderPromise, "orders", 30, 5, 1440},
	{ApprovalAfter, "mail", 10, 1, 1440},
	{ApprovalPause, "mail", 30, 5, 1440},
}

// Find finds a setting.
func Find(k Key) (Spec, bool) {
	for _, s := range specs {
		if s.Key == k {
			return s, true
		}
	}
	return Spec{}, false
}

// Parse reads a value as it was typed, or says what does not fit.
func (s Spec) Parse(text string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < s.Min || n > s.Max {
		return 0, fault.Bad(map[string]string{
			"value": "Type a whole number from " + strconv.Itoa(s.Min) + " to " + strconv.Itoa(s.Max) + ".",
		})
	}
	return n, nil
}

// Change is one change of a setting.
type Change struct {
	ID     string
	Key    Key
	Value  string // empty: as it comes
	Was    string // in force before
	Reason string
	At     time.Time
	By     string // e-mail address
	ByID   string
}
