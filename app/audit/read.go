package audit

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/app/fault"
	"gatehouse/app/page"
)

// Filter narrows the record; the zero value is all of it.
type Filter struct {
	Customer string    // id, or a part of what people know a customer by: name, e-mail address, name of the server
	By       string    // id of who did it, or how their e-mail address begins
	Action   string    // as in Entry
	From, To time.Time // at From or later, before To; zero: open
}

// maxName is how long a text of a filter may be, in characters.
const maxName = 100

// Clean returns f without space around its texts, or says what does not fit.
func (f Filter) Clean() (Filter, error) {
	bad := map[string]string{}
	for name, text := range map[string]*string{"customer": &f.Customer, "by": &f.By, "action": &f.Action} {
		*text = strings.TrimSpace(*text)
		if utf8.RuneCountInString(*text) > maxName || !utf8.ValidString(*text) || strings.ContainsRune(*text, 0) {
			bad[name] = "Look for at most 100 characters."
		}
	}
	if len(bad) > 0 {
		return Filter{}, fault.Bad(bad)
	}
	return f, nil
}

// Days returns f from the start of one day to the end of another, both as 2006-01-02 in zone; an empty one is open.
func (f Filter) Days(from, to string, zone *time.Location) (Filter, error) {
	var err error
	if f.From, f.To, err = page.Days(from, to, zone); err != nil {
		return Filter{}, err
	}
	return f, nil
}

// Thing is what a record is about, when that is something with a name.
type Thing struct {
	Kind string // order, server, request, staff, person, token, customer; empty: nothing that is known
	ID   string
	Name string // number of an order, name of a server, code of a request, e-mail address
}

// Line is a record with the names of what it names.
type Line struct {
	Entry
	Customer string // name
	About    Thing
}

// Reader reads the record, newest first; db.Audit is one.
type Reader interface {
	// List gives the records of one customer, or of all when customer is empty (staff only).
	List(ctx context.Context, customer string, ask page.Ask) (page.Of[Entry], error)
	// Find gives the records that f leaves, of all customers (staff only). ask.Search is a part of a target, of a person's
	// or customer's name, or the number of an order.
	Find(ctx context.Context, f Filter, ask page.Ask) (page.Of[Line], error)
	// Actions lists the actions that there are records of.
	Actions(ctx context.Context) ([]string, error)
}

// Record takes what happened; db.Trail is one.
type Record interface {
	Add(ctx context.Context, e Entry) error
}
