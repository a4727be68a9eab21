package audit_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
)

// TestFilter_Days: a day is the reader's, also when it has 23 or 25 hours.
func TestFilter_Days(t *testing.T) {
	t.Parallel()
	vienna, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	for situation, c := range map[string]struct {
		from, to, start, end string
		zone                 *time.Location
	}{
		"one day":          {"2026-03-02", "2026-03-02", "2026-03-01T23:00:00Z", "2026-03-02T23:00:00Z", vienna},
		"a short day":      {"2026-03-29", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", vienna},
		"a long day":       {"2026-10-25", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", vienna},
		"the end of one":   {"2026-12-31", "2026-12-31", "2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z", time.UTC},
		"open at the end":  {"2026-03-02", "", "2026-03-02T00:00:00Z", "0001-01-01T00:00:00Z", time.UTC},
		"open at the head": {"", "2026-03-02", "0001-01-01T00:00:00Z", "2026-03-03T00:00:00Z", time.UTC},
	} {
		f, err := audit.Filter{}.Days(c.from, c.to, c.zone)
		if err != nil || f.From.Format(time.RFC3339) != c.start || f.To.Format(time.RFC3339) != c.end {
			t.Errorf("%s: from %s to %s, %v", situation, f.From, f.To, err)
		}
	}
	for _, day := range []string{"yesterday", "2026-02-30", "02.03.2026", "2026-03-02T10:00:00Z", "0000-01-01"} {
		if _, err := (audit.Filter{}).Days(day, "", time.UTC); fault.Of(err).Fields["from"] == "" {
			t.Errorf("%s: %v", day, err)
		}
	}
}

func TestFilter_Clean(t *testing.T) {
	t.Parallel()
	if f, err := (audit.Filter{By: "  someone@example.com "}).Clean(); err != nil || f.By != "someone@example.com" {
		t.Errorf("%+v, %v", f, err)
	}
	for _, text := range []string{strings.Repeat("x", 101), "a\x00", "\xff"} {
		if _, err := (audit.Filter{Customer: text}).Clean(); fault.Of(err).Fields["customer"] == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLine_Cells: no cell begins with what a spreadsheet takes for a formula, and there is a cell below each head.
func TestLine_Cells(t *testing.T) {
	t.Parallel()
	for _, evil := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"} {
		l := audit.Line{
			Entry: audit.Entry{
				By: audit.Actor{Name: evil, Address: evil}, Action: evil, Target: evil, CustomerID: evil,
				Details: map[string]string{evil: evil},
			},
			Customer: evil, About: audit.Thing{Kind: "order", Name: evil},
		}
		cells := l.Cells()
		if len(cells) != len(audit.Columns()) {
			t.Fatalf("%d cells for %d heads", len(cells), len(audit.Columns()))
		}
		for i, c := range cells {
			if c != "" && strings.ContainsAny(c[:1], "=+-@\t\r\n") {
				t.Errorf("%s begins with %q", audit.Columns()[i], c)
			}
		}
	}
	if got := (audit.Line{Entry: audit.Entry{Action: "order.retry"}}).Cells(); !slices.Contains(got, "order.retry") {
		t.Errorf("what is harmless was changed: %q", got)
	}
}

// pages is a record of n pages; it keeps what was added.
type pages struct {
	audit.Reader
	n, asked int
	added    []audit.Entry
	err      error
}

func (p *pages) Find(_ context.Context, _ audit.Filter, ask page.Ask) (page.Of[audit.Line], error) {
	if len(p.added) != 1 || p.asked == 0 && ask.After != p.added[0].ID {
		return page.Of[audit.Line]{}, errors.New("read before it was recorded")
	}
	p.asked++
	of := page.Of[audit.Line]{Items: make([]audit.Line, ask.Limit)}
	if p.asked < p.n {
		of.Next = p.added[0].ID
	}
	return of, nil
}

func (p *pages) Add(_ context.Context, e audit.Entry) error {
	p.added = append(p.added, e)
	return p.err
}

func TestService_Export(t *testing.T) {
	t.Parallel()
	for situation, c := range map[string]struct {
		pages, want int
		refused     error
	}{
		"one page":        {1, page.MaxLimit, nil},
		"three pages":     {3, 3 * page.MaxLimit, nil},
		"more than fits":  {1 << 20, audit.MaxExport, nil},
		"not on record":   {1, 0, errors.New("no room")},
		"nobody reads on": {9, page.MaxLimit, nil},
	} {
		p, got := &pages{n: c.pages, err: c.refused}, 0
		s := &audit.Service{Reader: p, Record: p, Now: time.Now}
		stop := errors.New("the reader has left")
		err := s.Export(t.Context(), audit.Filter{Action: "order.retry"}, "bakery", audit.Itself, func(some []audit.Line) error {
			if got += len(some); situation == "nobody reads on" {
				return stop
			}
			return nil
		})
		if situation == "nobody reads on" && errors.Is(err, stop) {
			err = nil
		}
		if !errors.Is(err, c.refused) || got != c.want {
			t.Errorf("%s: %d records, %v", situation, got, err)
		}
		if e := p.added[0]; e.Action != "audit.export" || e.Details["action"] != "order.retry" || e.Details["search"] != "bakery" {
			t.Errorf("%s: recorded %+v", situation, e)
		}
	}
}
