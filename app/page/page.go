package page

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/fault"
)

// Limits of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// maxSearch is how long a text to look for may be, in characters.
const maxSearch = 100

// Ask is what a list is asked for: at most Limit items that come after the item with the id After.
type Ask struct {
	After  string // id of the last item of the page before; empty: from the start
	Limit  int    // 0: DefaultLimit
	Search string // the console's lists only: text that an item's id or names, or its customer's, contain; empty: all
}

// Clean returns a with its limit filled in, or says what does not fit.
func (a Ask) Clean() (Ask, error) {
	if a.Limit == 0 {
		a.Limit = DefaultLimit
	}
	bad := map[string]string{}
	if a.Limit < 1 || a.Limit > MaxLimit {
		bad["limit"] = "Ask for 1 to 200 items."
	}
	if a.After != "" && uuid.Validate(a.After) != nil {
		bad["after"] = "This is no cursor of ours. Start again without it."
	}
	a.Search = strings.TrimSpace(a.Search)
	if utf8.RuneCountInString(a.Search) > maxSearch || !utf8.ValidString(a.Search) || strings.ContainsRune(a.Search, 0) {
		bad["q"] = "Look for at most 100 characters."
	}
	if len(bad) > 0 {
		return Ask{}, fault.Bad(bad)
	}
	return a, nil
}

// Of is one page of a list. Next is the cursor of the page after it, empty at the end.
type Of[T any] struct {
	Items []T
	Next  string
}

// Cut makes a page of rows that were fetched with one more than limit, so that the end is known without counting.
func Cut[T any](rows []T, limit int, id func(T) string) Of[T] {
	if len(rows) <= limit {
		return Of[T]{Items: rows}
	}
	rows = rows[:limit]
	return Of[T]{Items: rows, Next: id(rows[limit-1])}
}
