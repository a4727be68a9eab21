package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Limits are the constraints of a rule. Rate, cooldown and hours refuse what is beyond them, to be tried later. What
// has more recipients, bytes or money than named is decided one step more strictly than the rule says.
type Limits struct {
	Rate          Rate     `yaml:"rate,omitempty"`
	Cooldown      Duration `yaml:"cooldown,omitempty"` // between two calls
	Hours         *Hours   `yaml:"hours,omitempty"`
	MaxRecipients int      `yaml:"max_recipients,omitempty"`
	MaxBytes      int64    `yaml:"max_bytes,omitempty"`
	MaxMoney      int64    `yaml:"max_money,omitempty"` // in cents
}

// any says whether something is limited at all.
func (l Limits) any() bool { return l != Limits{} }

// exceeded says what a call has too much of; empty: nothing.
func (l Limits) exceeded(s Subject) string {
	switch {
	case l.MaxRecipients > 0 && s.Recipients > l.MaxRecipients:
		return fmt.Sprintf("%d recipients, %d at most", s.Recipients, l.MaxRecipients)
	case l.MaxBytes > 0 && s.Bytes > l.MaxBytes:
		return fmt.Sprintf("%d bytes, %d at most", s.Bytes, l.MaxBytes)
	case l.MaxMoney > 0 && s.Money != nil && (s.Money.Unknown || s.Money.Cents > l.MaxMoney):
		return fmt.Sprintf("it moves %s, %s at most", s.Money, cents(l.MaxMoney))
	}
	return ""
}

// Rate is a number of calls in a time, written 10/h, 3/15m or 100/24h. They come from a bucket that fills evenly.
type Rate struct {
	Calls int
	Per   time.Duration
}

// IsZero says that nothing is limited.
func (r Rate) IsZero() bool { return r.Calls == 0 }

// UnmarshalYAML reads the form calls/time.
func (r *Rate) UnmarshalYAML(n *yaml.Node) error {
	bad := &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %q is no rate such as 10/h or 3/15m", n.Line, n.Value)}}
	count, per, ok := strings.Cut(n.Value, "/")
	if !ok || per == "" {
		return bad
	}
	if strings.Trim(per, "smh") == "" && len(per) == 1 {
		per = "1" + per
	}
	d, err := time.ParseDuration(per)
	if err != nil || d < time.Second || d > 7*24*time.Hour {
		return bad
	}
	calls := 0
	if _, err := fmt.Sscanf(count, "%d", &calls); err != nil || fmt.Sprint(calls) != count || calls < 1 || calls > 1_000_000 {
		return bad
	}
	*r = Rate{calls, d}
	return nil
}

// MarshalYAML writes the form calls/time.
func (r Rate) MarshalYAML() (any, error) { return fmt.Sprintf("%d/%s", r.Calls, r.Per), nil }

// Hours are the hours of the week in which something may be done. When To is not after From, they go over midnight
// and belong to the day on which they began.
type Hours struct {
	From string   `yaml:"from"` // "08:00"
	To   string   `yaml:"to"`   // "18:00"; "24:00" is the end of the day
	Days []string `yaml:"days,omitempty"`
	Zone string   `yaml:"zone"` // IANA name
}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// wrong says what no clock could follow; empty: nothing.
func (h Hours) wrong() string {
	if _, ok := minutes(h.From); !ok || h.From == "24:00" {
		return fmt.Sprintf("%q is no time of day such as 08:00", h.From)
	}
	if _, ok := minutes(h.To); !ok {
		return fmt.Sprintf("%q is no time of day such as 18:00", h.To)
	}
	for _, d := range h.Days {
		if !slices.Contains(weekdays, d) {
			return fmt.Sprintf("%q is no day; use mon, tue, wed, thu, fri, sat, sun", d)
		}
	}
	if _, err := time.LoadLocation(h.Zone); err != nil || h.Zone == "" || h.Zone == "Local" {
		return fmt.Sprintf("the time zone %q is not known; use a name such as Europe/Berlin", h.Zone)
	}
	return ""
}

// minutes reads hh:mm as minutes of the day.
func minutes(s string) (int, bool) {
	if s == "24:00" {
		return 24 * 60, true
	}
	t, err := time.Parse("15:04", s)
	return t.Hour()*60 + t.Minute(), err == nil && len(s) == 5
}

// Wait is how long it takes until the hours begin; 0 within them. What cannot be read is waited for a week.
func (h Hours) Wait(now time.Time) time.Duration {
	zone, err := time.LoadLocation(h.Zone)
	if err != nil || h.wrong() != "" {
		return 7 * 24 * time.Hour
	}
	now = now.In(zone)
	best := 8 * 24 * time.Hour
	for day := -1; day <= 7; day++ {
		from, to, ok := h.on(now.AddDate(0, 0, day))
		switch {
		case !ok || !now.Before(to):
		case !now.Before(from):
			return 0
		default:
			best = min(best, from.Sub(now))
		}
	}
	return best
}

// on gives the hours that begin on a day, if that is one of the days.
func (h Hours) on(day time.Time) (from, to time.Time, ok bool) {
	if len(h.Days) > 0 && !slices.Contains(h.Days, weekdays[day.Weekday()]) {
		return from, to, false
	}
	f, _ := minutes(h.From)
	t, _ := minutes(h.To)
	if t <= f {
		t += 24 * 60
	}
	clock := func(m int) time.Time {
		return time.Date(day.Year(), day.Month(), day.Day(), 0, m, 0, 0, day.Location())
	}
	return clock(f), clock(t), true
}
