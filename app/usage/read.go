package usage

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
)

// Line is what one agent used of one model with one key in a stretch of time.
type Line struct {
	At     time.Time // when it begins
	Agent  string
	Parent string
	Model  string
	Key    Key
	Counts
}

// Filter narrows lines. Empty names leave nothing out.
type Filter struct {
	From, To time.Time // To is none of it
	Agent    string
	Model    string
}

// Cursor is the last line of a page of hours. The zero value is before the first one.
type Cursor struct {
	At     time.Time `json:"at"`
	Agent  string    `json:"agent"`
	Parent string    `json:"parent,omitempty"`
	Model  string    `json:"model"`
	Key    Key       `json:"key"`
}

// CursorOf leads to what comes after a line.
func CursorOf(l Line) Cursor { return Cursor{l.At, l.Agent, l.Parent, l.Model, l.Key} }

// String is the cursor in an address.
func (c Cursor) String() string {
	b, _ := json.Marshal(c) // it holds nothing that JSON does not know
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor reads a cursor of an address; an empty one is the beginning.
func ParseCursor(s string) (c Cursor, err error) {
	if s == "" {
		return c, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || c.At.IsZero() || c.At.Year() < 2000 || c.At.Year() > 9999 {
		return Cursor{}, fault.Bad(map[string]string{"after": "This is no cursor of ours. Start again without it."})
	}
	return c, nil
}

// Lines reads what was used; db.Usage does.
type Lines interface {
	// Steps are the sums of each step of a customer, "hour" or "day" in a zone, by time, agent, parent, model and key.
	Steps(ctx context.Context, of account.CustomerID, f Filter, step string, zone *time.Location) ([]Line, error)
	// Hours are the sums of each hour after a cursor, newest first, at most limit.
	Hours(ctx context.Context, of account.CustomerID, f Filter, after Cursor, limit int) ([]Line, error)
	// UpTo is until when all that was used is known; the zero time before the customer's server has told.
	UpTo(ctx context.Context, of account.CustomerID) (time.Time, error)
}

// Span is a stretch of time that pages show.
type Span string

// The spans.
const (
	Day   Span = "day"
	Week  Span = "week"
	Month Span = "month"
)

// Overview is what a customer used in a span.
type Overview struct {
	Span     Span
	From, To time.Time // in the zone that was asked for
	Step     string    // hour or day
	Lines    []Line    // one for each step, agent, model and key
	UpTo     time.Time
}

// Bounds are the span around a moment in its zone: the day, the week from Monday, or the month. An unknown span is a month.
func (s Span) Bounds(at time.Time) (span Span, from, to time.Time) {
	y, m, d := at.Date()
	midnight := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, at.Location()) }
	switch s {
	case Day:
		return Day, midnight(y, m, d), midnight(y, m, d+1)
	case Week:
		d -= (int(at.Weekday()) + 6) % 7
		return Week, midnight(y, m, d), midnight(y, m, d+7)
	}
	return Month, midnight(y, m, 1), midnight(y, m+1, 1)
}

// Reader shows what was used.
type Reader struct {
	Lines Lines
	Now   func() time.Time
}

// Overview is what a customer used in the span around a moment, whose zone says when days begin.
func (r *Reader) Overview(ctx context.Context, of account.CustomerID, span Span, at time.Time) (o Overview, err error) {
	o.Span, o.From, o.To = span.Bounds(at)
	if o.Step = "day"; o.Span == Day {
		o.Step = "hour"
	}
	if o.Lines, err = r.Lines.Steps(ctx, of, Filter{From: o.From, To: o.To}, o.Step, at.Location()); err != nil {
		return o, err
	}
	o.UpTo, err = r.Lines.UpTo(ctx, of)
	return o, err
}

// Starts are the beginnings of all steps of o until now, whether something was used in them or not.
func (o Overview) Starts(now time.Time) (all []time.Time) {
	for at := o.From; at.Before(o.To) && !at.After(now); {
		all = append(all, at)
		if o.Step == "hour" {
			at = at.Add(time.Hour)
		} else {
			at = at.AddDate(0, 0, 1)
		}
	}
	return all
}

// Sums adds lines up by what of says of each.
func Sums[K comparable](lines []Line, of func(Line) K) map[K]Counts {
	sums := map[K]Counts{}
	for _, l := range lines {
		sums[of(l)] = sums[of(l)].Plus(l.Counts)
	}
	return sums
}

// Most lists the keys of sums, those with the most tokens first.
func Most[K cmp.Ordered](sums map[K]Counts) []K {
	keys := make([]K, 0, len(sums))
	for k := range sums {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b K) int {
		return cmp.Or(cmp.Compare(sums[b].Tokens(), sums[a].Tokens()), cmp.Compare(a, b))
	})
	return keys
}

// longest is the longest time that hours are listed of.
const longest = 400 * 24 * time.Hour

// Hours lists a page of hours of a customer, newest first.
func (r *Reader) Hours(
	ctx context.Context, of account.CustomerID, f Filter, after string, limit int,
) (lines []Line, next string, err error) {
	if f.To.Before(f.From) || f.To.Sub(f.From) > longest {
		return nil, "", fault.Bad(map[string]string{"to": "Choose days that follow each other, at most 400."})
	}
	at, err := ParseCursor(after)
	if err != nil {
		return nil, "", err
	}
	if lines, err = r.Lines.Hours(ctx, of, f, at, limit+1); err != nil || len(lines) <= limit {
		return lines, "", err
	}
	lines = lines[:limit]
	return lines, CursorOf(lines[limit-1]).String(), nil
}
