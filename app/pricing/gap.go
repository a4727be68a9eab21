package pricing

import (
	"fmt"
	"time"
)

// soon is what fills a gap: of the entries of a kind and name that fit, the first that holds after a moment. Where the book knows none,
// it is the one that was added first after what it knows, so that an amount computed again is the same for ever.
func (b Book) soon(kind Kind, name string, at time.Time, fits func(Entry) bool) (found Entry, ok bool) {
	var later *Entry
	for _, e := range b.entries[Entry{Kind: kind, Name: name}.key()] {
		switch {
		case !fits(e):
		case b.after(e):
			if later == nil {
				later = &e
			}
		case e.ValidFrom.After(at) && (!ok || !e.ValidFrom.After(found.ValidFrom)):
			found, ok = e, true
		}
	}
	if !ok && later != nil {
		return *later, true
	}
	return found, ok
}

// ModelSoon is what a model costs at a moment. Before anybody had said so, and while it is not sold, it is what is said next: then filled
// is the moment from which that holds, else zero. ErrNoPrice when nobody has said anything since.
func (b Book) ModelSoon(name string, at time.Time) (p ModelPrice, filled time.Time, err error) {
	if e, ok := b.held(KindModel, name, at); ok && sold(e) {
		p, err = value[ModelPrice](e)
		return p, time.Time{}, err
	}
	e, ok := b.soon(KindModel, name, at, sold)
	if !ok {
		return p, filled, fmt.Errorf("%w: model %s at %s", ErrNoPrice, name, at.UTC().Format(time.RFC3339))
	}
	if e.ValidFrom.After(at) { // else it was added later, for then
		filled = e.ValidFrom
	}
	p, err = value[ModelPrice](e)
	return p, filled, err
}

// sold says whether an entry of a model sells it. One that cannot be read does, so that reading it says so.
func sold(e Entry) bool {
	p, err := value[ModelPrice](e)
	return err != nil || p.Class != Unlisted
}

// rateLife is how old a rate may be: banks publish none on holidays.
const rateLife = 7 * 24 * time.Hour

// Rate is what a US dollar is worth at a moment, and of which day that is: the last one of the week before, else the first that follows.
// ErrNoPrice when there is neither, yet.
func (b Book) Rate(at time.Time) (r Rate, day time.Time, err error) {
	fresh := func(e Entry) bool { return at.Sub(e.ValidFrom) <= rateLife }
	e, ok := b.held(KindRate, "USD", at)
	if !ok || !fresh(e) {
		e, ok = b.soon(KindRate, "USD", at, fresh)
	}
	if !ok {
		return r, day, fmt.Errorf("%w: exchange rate at %s", ErrNoPrice, at.UTC().Format(time.RFC3339))
	}
	r, err = value[Rate](e)
	return r, e.ValidFrom, err
}
