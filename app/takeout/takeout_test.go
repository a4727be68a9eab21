package takeout_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/takeout"
)

// trail keeps what was recorded.
type trail struct {
	all []audit.Entry
	err error
}

func (t *trail) Add(_ context.Context, e audit.Entry) error {
	t.all = append(t.all, e)
	return t.err
}

func TestDesk_Begin(t *testing.T) {
	t.Parallel()
	rec := &trail{}
	d := takeout.Desk{Record: rec, Now: time.Now}
	by := audit.Actor{Kind: audit.Staff, ID: "s", Name: "manager@example.com"}
	if err := d.Begin(t.Context(), by, "order.export", map[string]string{"state": "FAILED", "search": ""}); err != nil {
		t.Fatal(err)
	}
	e := rec.all[0]
	if e.Action != "order.export" || e.By != by || !maps.Equal(e.Details, map[string]string{"state": "FAILED"}) {
		t.Errorf("recorded %+v", e)
	}
	rec.err = errors.New("no room")
	if err := d.Begin(t.Context(), by, "order.export", nil); !errors.Is(err, rec.err) {
		t.Errorf("what is not on record goes out: %v", err)
	}
}

// TestAll: each page follows the one before, and there is an end to a list without one.
func TestAll(t *testing.T) {
	t.Parallel()
	for situation, c := range map[string]struct{ pages, want int }{
		"one page": {1, page.MaxLimit}, "three pages": {3, 3 * page.MaxLimit}, "more than fits": {1 << 20, takeout.Most},
	} {
		asked, got := 0, 0
		err := takeout.All(t.Context(), page.Ask{Search: "bakery"}, func(_ context.Context, ask page.Ask) (page.Of[int], error) {
			if ask.Search != "bakery" || (ask.After == "") != (asked == 0) {
				t.Fatalf("%s: asked for %+v", situation, ask)
			}
			of := page.Of[int]{Items: make([]int, ask.Limit)}
			if asked++; asked < c.pages {
				of.Next = "more"
			}
			return of, nil
		}, func(some []int) error { got += len(some); return nil })
		if err != nil || got != c.want {
			t.Errorf("%s: %d, %v", situation, got, err)
		}
	}
	stop := errors.New("the reader has left")
	err := takeout.All(t.Context(), page.Ask{}, func(context.Context, page.Ask) (page.Of[int], error) {
		return page.Of[int]{Items: []int{1}, Next: "more"}, nil
	}, func([]int) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("nobody reads on: %v", err)
	}
}
