package order

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/redact"
	"gatehouse/app/fault"
)

// Line is one line of the log of an order.
type Line struct {
	ID    int64 // grows with time: the cursor
	At    time.Time
	State State  // in which the order was
	Level string // "", info for a new state, error for a failure
	Text  string
}

// LineFilter narrows a log. Without After and Before it is the end of the log.
type LineFilter struct {
	After  int64  // lines after this one: what a page does not have yet; FromFirst: all lines
	Before int64  // lines before this one
	Search string // part of the text, in either case; empty: all
	Limit  int    // at most; 0: MaxLines
}

// FromFirst is what a log is read after from its beginning.
const FromFirst = -1

const (
	// MaxLines is the most lines that one call returns.
	MaxLines = 1000
	// maxLine is how much of one line the log keeps, in bytes.
	maxLine = 500
	// logLife is how long lines are kept.
	logLife = 90 * day
)

var errLines = fault.New(fault.Invalid, "log-filter", "filter of a log out of range",
	"Search for at most 100 characters, and ask for 1 to 1000 lines.")

// Log adds lines to the log of an order and tells open pages. What looks like a secret is taken out before it is stored.
func (s *Service) Log(ctx context.Context, o Order, lines ...string) error {
	now := s.Now().UTC()
	all := make([]Line, len(lines))
	for i, l := range lines {
		all[i] = Line{At: now, Text: l}
	}
	return s.Append(ctx, o, all)
}

// Append is Log for lines that were gathered for a while; of each, At and Text are given.
func (s *Service) Append(ctx context.Context, o Order, lines []Line) error {
	kept := make([]Line, 0, len(lines))
	for _, l := range lines {
		if l.Text = tidyLine(l.Text); l.Text != "" {
			l.State = o.Step()
			kept = append(kept, l)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	if err := s.Store.Log(ctx, o.CustomerID, o.ID, kept); err != nil {
		return err
	}
	s.Notify.OrderChanged(ctx, o.CustomerID, o.ID)
	return nil
}

// tidyLine makes text fit for the log: no secrets, no control characters, not too long.
func tidyLine(text string) string {
	text = redact.Text(strings.ToValidUTF8(text, "?"))
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text))
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + " …"
	}
	return text
}

// Lines lists the log of an order, the oldest first: staff only.
func (s *Service) Lines(ctx context.Context, id ID, f LineFilter) ([]Line, error) {
	if f.Limit == 0 {
		f.Limit = MaxLines
	}
	f.Search = strings.TrimSpace(f.Search)
	if f.Limit < 1 || f.Limit > MaxLines || utf8.RuneCountInString(f.Search) > 100 || !utf8.ValidString(f.Search) {
		return nil, errLines
	}
	return s.Store.Lines(ctx, id, f)
}

// ForgetLines removes lines that are older than they are kept, which is 90 days as it comes. It says how many.
func (s *Service) ForgetLines(ctx context.Context) (int, error) {
	return s.Store.ForgetLines(ctx, s.Now().UTC().Add(-s.Rules.Lines.Or(logLife)))
}
