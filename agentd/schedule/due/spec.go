package due

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/wire"
)

// ErrSpec is what every error of Parse is: its text is for the person who wrote the spec.
var ErrSpec = errors.New("this is not a time that a schedule can keep")

// specError is an ErrSpec with its own words.
type specError string

func (e specError) Error() string { return string(e) }

// Is says that it is an ErrSpec.
func (e specError) Is(target error) bool { return target == ErrSpec }

// localForms are how local times are written; the first is how they are kept.
var localForms = []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05"}

var (
	interval = lazyre.MustCompile(`(?i)^(?:every )?(\d{1,6}) ?([a-z]+)$`)
	isoSteps = lazyre.MustCompile(`(?i)^p(?:(\d{1,4})w)?(?:(\d{1,4})d)?(?:t(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,7})s)?)?$`)
	fields   = lazyre.MustCompile(`^[0-9A-Za-z*/,\-?#]+( [0-9A-Za-z*/,\-?#]+){4}$`)
)

// Parse reads a spec. Which of at, every and cron it is follows from kind, or for the other kinds from its form. An interval
// counts from anchor, unless it says itself from when.
func Parse(kind wire.ScheduleKind, spec string, zone *time.Location, anchor time.Time) (Rule, error) {
	spec = strings.Join(strings.Fields(spec), " ")
	readers := map[wire.ScheduleKind]func(string, *time.Location, time.Time) (Rule, error){
		wire.ScheduleAt: parseAt, wire.ScheduleEvery: parseEvery, wire.ScheduleCron: parseCron,
	}
	if kind == wire.ScheduleHeartbeat {
		kind = wire.ScheduleEvery
	}
	if read := readers[kind]; read != nil {
		return read(spec, zone, anchor)
	}
	for _, k := range []wire.ScheduleKind{wire.ScheduleAt, wire.ScheduleEvery} {
		if r, err := readers[k](spec, zone, anchor); err == nil {
			return r, nil
		}
	}
	return parseCron(spec, zone, anchor)
}

func parseAt(spec string, zone *time.Location, _ time.Time) (Rule, error) {
	t, form, ok := readTime(spec, zone)
	if !ok {
		return Rule{}, specError(fmt.Sprintf("%q is not a time such as 2026-11-30T09:00.", spec))
	}
	return Rule{kind: wire.ScheduleAt, spec: form, zone: zone, at: t}, nil
}

// readTime reads a time with an offset or a local one, and gives the form in which it is kept.
func readTime(spec string, zone *time.Location) (t time.Time, form string, ok bool) {
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(spec)); err == nil {
		return t.UTC(), t.Format(time.RFC3339), true
	}
	for _, layout := range localForms {
		if wall, err := time.Parse(layout, spec); err == nil {
			return Place(wall, zone), Local(wall), true
		}
	}
	return time.Time{}, "", false
}

// Local is how a local time is kept.
func Local(wall time.Time) string {
	if wall.Second() != 0 {
		return wall.Format(localForms[1])
	}
	return wall.Format(localForms[0])
}

func parseEvery(spec string, zone *time.Location, anchor time.Time) (Rule, error) {
	text, from, dated := strings.Cut(spec, " from ")
	r := Rule{kind: wire.ScheduleEvery, zone: zone, anchor: anchor.UTC()}
	if dated {
		t, form, ok := readTime(from, zone)
		if !ok {
			return Rule{}, specError(fmt.Sprintf("%q is not a time such as 2026-11-30T09:00.", from))
		}
		r.anchor, r.first, from = t, true, " from "+form
	}
	var ok bool
	if r.step, r.days, ok = steps(text); !ok {
		return Rule{}, specError(fmt.Sprintf("%q is not an interval such as 30m, 2h, 1d or 2w.", text))
	}
	r.spec = intervalForm(r.step, r.days) + from
	return r, nil
}

// steps reads an interval: elapsed time, or days of the calendar.
func steps(text string) (step time.Duration, days int, ok bool) {
	if d, err := time.ParseDuration(strings.TrimPrefix(strings.ToLower(text), "every ")); err == nil {
		return d, 0, d >= time.Second && d < 10*365*24*time.Hour
	}
	if m := isoSteps.FindStringSubmatch(text); m != nil {
		n := make([]int, len(m))
		for i := range m[1:] {
			n[i+1], _ = strconv.Atoi(m[i+1]) // what is left out is 0
		}
		days = 7*n[1] + n[2]
		step = time.Duration(n[3])*time.Hour + time.Duration(n[4])*time.Minute + time.Duration(n[5])*time.Second
		if days > 0 && step > 0 {
			return step + time.Duration(days)*24*time.Hour, 0, true
		}
		return step, days, days > 0 || step > 0
	}
	m := interval.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n == 0 || n > 100_000 {
		return 0, 0, false
	}
	switch strings.ToLower(m[2]) {
	case "s", "sec", "secs", "second", "seconds":
		return time.Duration(n) * time.Second, 0, true
	case "m", "min", "mins", "minute", "minutes":
		return time.Duration(n) * time.Minute, 0, true
	case "h", "hour", "hours":
		return time.Duration(n) * time.Hour, 0, n < 10*365*24
	case "d", "day", "days":
		return 0, n, n <= 3660
	case "w", "week", "weeks":
		return 0, 7 * n, n <= 520
	}
	return 0, 0, false
}

// intervalForm is how an interval is kept.
func intervalForm(step time.Duration, days int) string {
	switch {
	case days > 0 && days%7 == 0:
		return strconv.Itoa(days/7) + "w"
	case days > 0:
		return strconv.Itoa(days) + "d"
	}
	s := step.String() // "2h0m0s"
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func parseCron(spec string, zone *time.Location, _ time.Time) (Rule, error) {
	form := strings.ToUpper(spec)
	if !fields.MatchString(form) || !gronx.New().IsValid(form) {
		const want = "%q is not five fields such as 0 8 * * 1: minute, hour, day, month and day of the week."
		return Rule{}, specError(fmt.Sprintf(want, spec))
	}
	r := Rule{kind: wire.ScheduleCron, spec: form, zone: zone, cron: form}
	if _, ok := r.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); !ok {
		return Rule{}, specError(fmt.Sprintf("%q is never due: there is no such day.", spec))
	}
	return r, nil
}
