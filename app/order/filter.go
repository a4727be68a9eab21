package order

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/app/fault"
	"gatehouse/app/page"
)

// What a list may be narrowed to that is no state of a single order.
const (
	Open State = "OPEN" // on their way: a step is to be done
	Late State = "LATE" // on their way for longer than we promise
)

// Filter narrows a list of orders, and says how it is sorted. The zero value is all of them, the newest first.
type Filter struct {
	State    State  // or Open, Late; empty: all
	Mode     Mode   // likewise
	Provider string // as it was chosen for the order; Usual: not chosen
	Region   Region
	Plan     string
	From, To time.Time // ordered at From or later, before To; zero: open
	Sort     string    // one of Sorts, "-" in front turns it over; empty: the newest first
	Before   time.Time // Late only: orders from before that are late; List fills it in
}

// Usual is the filter for orders of which nobody chose a provider.
const Usual = "usual"

// What a list can be sorted by. Each has an index.
const (
	SortCreated  = "created"
	SortUpdated  = "updated"
	SortCustomer = "customer"
)

// Sorts lists what a list can be sorted by.
func Sorts() []string { return []string{SortCreated, SortUpdated, SortCustomer} }

const maxFilter = 100 // characters

// Clean returns f with its order filled in, or says what does not fit. A value that no order has finds nothing, which is no error.
func (f Filter) Clean() (Filter, error) {
	bad := map[string]string{}
	for name, v := range map[string]string{
		"state": string(f.State), "mode": string(f.Mode), "provider": f.Provider, "region": string(f.Region), "plan": f.Plan,
	} {
		if utf8.RuneCountInString(v) > maxFilter || !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			bad[name] = "Look for at most 100 characters."
		}
	}
	if f.Sort == "" {
		f.Sort = "-" + SortCreated
	}
	if !slices.Contains(Sorts(), strings.TrimPrefix(f.Sort, "-")) {
		bad["sort"] = "Sort by created, updated or customer, with - in front for the other way round."
	}
	if len(bad) > 0 {
		return Filter{}, fault.Bad(bad)
	}
	return f, nil
}

// continues says whether the cursor is one of a list that is sorted so; f is clean.
func (f Filter) continues(ask page.Ask) error {
	id, value := ask.Mark()
	if id == "" || strings.TrimPrefix(f.Sort, "-") == SortCustomer {
		return nil
	}
	if _, err := time.Parse(time.RFC3339Nano, value); err != nil {
		return page.ErrCursor
	}
	return nil
}
