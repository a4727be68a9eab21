package usage

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
)

// Alerts keeps what our staff should know about a server; db.Alerts has it. Calls belong to the transaction of ctx.
type Alerts interface {
	// RaiseOnce adds an alert, unless one of its kind was added for the server since a time.
	RaiseOnce(ctx context.Context, id server.ID, a wire.Alert, at, since time.Time) error
}

// Caller puts a question to a server over its link; relay.Relay does.
type Caller interface {
	Call(ctx context.Context, serverID string, m wire.Method, params, result any) error
}

// Service takes what meters report, and compares it with them.
type Service struct {
	Store  Store
	Alerts Alerts
	Live   Caller
	Now    func() time.Time
	Log    *slog.Logger
}

// Bounds of what a server reports.
const (
	maxRevision = 1 << 53             // what every reader of JSON keeps exact
	maxCount    = 100_000_000_000     // in an hour, of one agent and model: a hundred times what any model answers
	maxName     = 64                  // bytes, of agents, accounts and epochs
	maxModel    = 200                 // bytes
	ahead       = time.Hour           // a clock may be ahead so much
	tooEarly    = 31 * 24 * time.Hour // and so much, and what was used counts all the same: in the month of its hour
	behind      = 400 * 24 * time.Hour
)

// alertAgain is how long a kind of alert about a server's usage stays the only one.
const alertAgain = time.Hour

// The kinds of alerts.
const (
	alertRefused = "usage_refused" // a row outside of all bounds
	alertAhead   = "usage_ahead"   // an hour in the future
	alertLowered = "usage_lowered" // a count that went down
	alertChanged = "usage_changed" // another row of the same revision
	alertDiffers = "usage_differs" // sums that are not those of the server
)

// Report keeps what a server reported, in the transaction of ctx. A row that cannot be right is left out with an alert, and the
// others count.
func (s *Service) Report(ctx context.Context, id server.ID, r wire.UsageReport) error {
	now := s.Now().UTC()
	rows, why := read(r, now)
	if why != "" {
		text := "The server reported usage that cannot be right, and it was not counted: " + why
		if err := s.alert(ctx, id, alertRefused, text, now); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if at := latest(rows); at.After(now.Add(ahead)) {
		text := "The clock of the server is ahead: it reported usage of " + at.Format(time.RFC3339) +
			". It counts, in the month of its hour."
		if err := s.alert(ctx, id, alertAhead, text, now); err != nil {
			return err
		}
	}
	was, err := s.Store.Keep(ctx, id, rows)
	if err != nil {
		return fmt.Errorf("report usage: %w", err)
	}
	return s.compare(ctx, id, rows, was, now)
}

// latest is the latest hour of rows.
func latest(rows []Bucket) (at time.Time) {
	for _, b := range rows {
		if b.Hour.After(at) {
			at = b.Hour
		}
	}
	return at
}

// compare raises an alert where what was reported does not follow from what was there.
func (s *Service) compare(ctx context.Context, id server.ID, rows, was []Bucket, now time.Time) error {
	before := make(map[key]Bucket, len(was))
	for _, b := range was {
		before[keyOf(b)] = b
	}
	for _, b := range rows {
		old, ok := before[keyOf(b)]
		var err error
		switch {
		case !ok:
		case b.Revision == old.Revision && b.Counts != old.Counts:
			text := "The server reported two counts of one revision for " + b.about() + ". The first one counts."
			err = s.alert(ctx, id, alertChanged, text, now)
		case b.Revision > old.Revision && b.lessThan(old.Counts):
			text := "The server reported less than before for " + b.about() + ". What was reported before counts."
			err = s.alert(ctx, id, alertLowered, text, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) alert(ctx context.Context, id server.ID, kind, text string, now time.Time) error {
	a := wire.Alert{Kind: kind, Severity: "hard", Text: text, Time: now}
	if err := s.Alerts.RaiseOnce(ctx, id, a, now, now.Add(-alertAgain)); err != nil {
		return fmt.Errorf("alert about usage: %w", err)
	}
	return nil
}

// key is what makes two rows of a server the same bucket.
type key struct {
	epoch, agent, parent, model, profile string
	key                                  Key
	hour                                 time.Time
}

func keyOf(b Bucket) key { return key{b.Epoch, b.Agent, b.Parent, b.Model, b.Profile, b.Key, b.Hour} }

// about names a bucket for a person.
func (b Bucket) about() string {
	return fmt.Sprintf("agent %s, model %s, hour %s", b.Agent, b.Model, b.Hour.Format("2006-01-02 15:04"))
}

// read takes the rows that can be right, and says about the first other one what is wrong.
func read(r wire.UsageReport, now time.Time) (rows []Bucket, why string) {
	if len(r.Rows) > wire.MaxUsageRows {
		return nil, fmt.Sprintf("%d rows at once.", len(r.Rows))
	}
	seen := make(map[key]bool, len(r.Rows))
	for _, row := range r.Rows {
		b := bucketOf(row)
		wrong := b.wrong(now)
		if wrong == "" && seen[keyOf(b)] {
			wrong = "the same row twice."
		}
		if wrong == "" {
			seen[keyOf(b)] = true
			rows = append(rows, b)
		} else if why == "" {
			why = wrong
		}
	}
	return rows, why
}

func bucketOf(r wire.UsageRow) Bucket {
	return Bucket{
		Epoch: r.Epoch, Hour: r.Hour.UTC(), Agent: r.Agent, Parent: r.Parent, Model: r.Model, Profile: r.Profile, Key: Key(r.Key),
		Revision: r.Revision, Counts: countsOf(r.UsageCounts),
	}
}

func countsOf(c wire.UsageCounts) Counts { return Counts(c) }

// wrong says what cannot be right about a row; empty when nothing is. It repeats no text of the row that was not looked at.
func (b Bucket) wrong(now time.Time) string {
	switch {
	case !name(b.Epoch, maxName), !name(b.Agent, maxName), b.Parent != "" && !name(b.Parent, maxName), !name(b.Model, maxModel),
		!name(b.Profile, maxName):
		return "a name that is missing, too long or not readable."
	case b.Key != House && b.Key != Own && b.Key != Local:
		return "an unknown key."
	case !b.Hour.Equal(b.Hour.Truncate(time.Hour)):
		return "an hour that does not begin on the hour."
	case b.Hour.After(now.Add(tooEarly)):
		return "an hour in the future: " + b.Hour.Format(time.RFC3339) + "."
	case b.Hour.Before(now.Add(-behind)):
		return "an hour long ago: " + b.Hour.Format(time.RFC3339) + "."
	case b.Revision <= 0 || b.Revision > maxRevision:
		return "a revision out of bounds."
	}
	return b.Counts.wrong()
}

func (c Counts) wrong() string {
	for _, n := range c.all() {
		if n < 0 || n > maxCount {
			return "a count out of bounds."
		}
	}
	if c.Estimated > c.Requests || c.EstInput > c.Input || c.EstOutput > c.Output {
		return "more estimated than counted."
	}
	return ""
}

// name says whether s can stand on a page as the name of something.
func name(s string, most int) bool {
	return s != "" && len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
