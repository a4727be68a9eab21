package due

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/wire"
)

// sayTime is how times are said to people.
const sayTime = "Monday, 2 January 2006 at 15:04"

// SayTime says a moment in the local time of a zone.
func SayTime(t time.Time, zone *time.Location) string {
	return t.In(zone).Format(sayTime) + " (" + zone.String() + ")"
}

// Says says a rule in English words.
func (r Rule) Says() string {
	switch {
	case r.kind == wire.ScheduleAt:
		return SayTime(r.at, r.zone)
	case r.kind == wire.ScheduleCron:
		return r.sayCron()
	case r.days > 0:
		return fmt.Sprintf("every %s at %s (%s), counted from %s", plural(r.days, "day"), r.anchor.In(r.zone).Format("15:04"), r.zone,
			r.anchor.In(r.zone).Format("Monday, 2 January 2006"))
	}
	return "every " + saySpan(r.step)
}

func saySpan(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return plural(int(d/time.Hour), "hour")
	case d%time.Minute == 0:
		return plural(int(d/time.Minute), "minute")
	}
	return d.String()
}

func plural(n int, unit string) string {
	if n == 1 {
		return unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// sayCron says the usual forms of cron fields, and spells the others out.
func (r Rule) sayCron() string {
	f := strings.Fields(r.cron)
	minute, errM := strconv.Atoi(f[0])
	hour, errH := strconv.Atoi(f[1])
	if errM != nil || errH != nil || f[3] != "*" {
		return fmt.Sprintf("at %s (minute, hour, day, month, day of the week; %s)", r.spec, r.zone)
	}
	at := fmt.Sprintf(" at %02d:%02d (%s)", hour, minute, r.zone)
	day, errD := strconv.Atoi(f[2])
	days, ok := sayDays(f[4])
	switch {
	case f[2] == "*" && f[4] == "*":
		return "every day" + at
	case f[2] == "*" && ok:
		return "every " + days + at
	case errD == nil && f[4] == "*":
		return fmt.Sprintf("on day %d of every month", day) + at
	case f[2] == "L" && f[4] == "*":
		return "on the last day of every month" + at
	}
	return fmt.Sprintf("at %s (minute, hour, day, month, day of the week; %s)", r.spec, r.zone)
}

// sayDays says days of the week: "1", "1-5", "1,3", or "5#2" for the second Friday of a month.
func sayDays(field string) (string, bool) {
	if field == "1-5" || field == "MON-FRI" {
		return "weekday", true
	}
	day, nth, numbered := strings.Cut(field, "#")
	if numbered {
		if n, err := strconv.Atoi(day); err == nil && n <= 7 {
			return ordinal(nth) + " " + time.Weekday(n%7).String() + " of the month", true
		}
		return "", false
	}
	var names []string
	for _, one := range strings.Split(field, ",") {
		n, err := strconv.Atoi(one)
		if err != nil || n < 0 || n > 7 {
			return "", false
		}
		names = append(names, time.Weekday(n%7).String())
	}
	return strings.Join(names, ", "), true
}

func ordinal(n string) string {
	if name := map[string]string{"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth"}[n]; name != "" {
		return name
	}
	return n + "th"
}
