package pricing

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Kind says what an entry of the price book is about.
type Kind string

// The kinds: stored in rows, never rename.
const (
	KindPlan    Kind = "plan"    // by its PlanID: a PlanPrice
	KindModel   Kind = "model"   // by its name, as the provider is asked for it: a ModelPrice
	KindMarkups Kind = "markups" // no name: Markups
	KindWeights Kind = "weights" // no name: Weights
	KindRate    Kind = "rate"    // "USD": a Rate
	KindSeller  Kind = "seller"  // no name: see app/billing
	KindTax     Kind = "tax"     // by country: see app/billing
)

// Class says how a model is sold.
type Class string

// The classes.
const (
	Included Class = "included" // draws on the pool
	Premium  Class = "premium"  // never draws on the pool: each token is charged
	Unlisted Class = "unlisted" // not sold: what is used of it waits for our staff
)

// PlanPrice is what a plan costs and holds.
type PlanPrice struct {
	Name    string `json:"name"`
	Monthly Cents  `json:"monthly"`
	Pool    int64  `json:"pool"`
}

// ModelPrice is what a model costs us, and how it is sold.
type ModelPrice struct {
	Prices
	Class Class `json:"class"`
}

// Entry is one price as it holds from a moment on. Entries are added and never changed.
type Entry struct {
	ID        string
	Kind      Kind
	Name      string
	Value     json.RawMessage
	ValidFrom time.Time
	At        time.Time // when it was added
	ByName    string
	Reason    string

	decoded any // Value as a ModelPrice, Markups, Weights or Rate, read once when the book is made; nil: Value says what is wrong
}

// ErrNoPrice says that nothing in the book holds for what was asked.
var ErrNoPrice = errors.New("no price")

// Book is all entries, as they stood at some moment.
type Book struct {
	entries map[string][]Entry // by kind and name, in the order of adding
	known   time.Time          // entries that were added later count only where there is no other; zero: all count
}

// NewBook makes a book of entries in the order in which they were added.
func NewBook(all []Entry) Book {
	b := Book{entries: map[string][]Entry{}}
	for _, e := range all {
		b.entries[e.key()] = append(b.entries[e.key()], e.decode())
	}
	return b
}

func (e Entry) key() string { return string(e.Kind) + "\x00" + e.Name }

// AsKnown is the book as it was at a moment. What had no price then has the first that was added later, so that an amount computed
// again is the same for ever.
func (b Book) AsKnown(at time.Time) Book { return Book{entries: b.entries, known: at} }

// With is the book with one entry more: what would be if it were added.
func (b Book) With(e Entry) Book {
	n := Book{entries: map[string][]Entry{}, known: b.known}
	for k, v := range b.entries {
		n.entries[k] = v
	}
	n.entries[e.key()] = append(slices.Clone(b.entries[e.key()]), e.decode())
	return n
}

// At is the entry that holds at a moment: the one that is valid from the latest moment until then, of several the one added last.
func (b Book) At(kind Kind, name string, at time.Time) (found Entry, ok bool) {
	if found, ok = b.held(kind, name, at); ok {
		return found, true
	}
	for _, e := range b.entries[Entry{Kind: kind, Name: name}.key()] {
		if !e.ValidFrom.After(at) {
			return e, true // added after what the book knows
		}
	}
	return found, false
}

// held is At of what the book knows.
func (b Book) held(kind Kind, name string, at time.Time) (found Entry, ok bool) {
	for _, e := range b.entries[Entry{Kind: kind, Name: name}.key()] {
		if !e.ValidFrom.After(at) && !b.after(e) && (!ok || !e.ValidFrom.Before(found.ValidFrom)) {
			found, ok = e, true
		}
	}
	return found, ok
}

// after says whether an entry was added after what the book knows.
func (b Book) after(e Entry) bool { return !b.known.IsZero() && e.At.After(b.known) }

// Read reads the entry that holds at a moment into v, and says since when it holds; ErrNoPrice when none does.
func (b Book) Read(kind Kind, name string, at time.Time, v any) (time.Time, error) {
	e, ok := b.At(kind, name, at)
	if !ok {
		return time.Time{}, fmt.Errorf("%w: %s %s at %s", ErrNoPrice, kind, name, at.UTC().Format(time.RFC3339))
	}
	if err := json.Unmarshal(e.Value, v); err != nil {
		return time.Time{}, fmt.Errorf("price book: %s %s: %w", kind, name, err)
	}
	return e.ValidFrom, nil
}

// Names lists the names of a kind, sorted.
func (b Book) Names(kind Kind) (names []string) {
	for _, all := range b.entries {
		if all[0].Kind == kind {
			names = append(names, all[0].Name)
		}
	}
	slices.Sort(names)
	return names
}

// Of lists the entries of a kind and name, the one added last first.
func (b Book) Of(kind Kind, name string) []Entry {
	all := slices.Clone(b.entries[Entry{Kind: kind, Name: name}.key()])
	slices.Reverse(all)
	return all
}

// Plans lists the plans as they are sold at a moment, cheapest first.
func (b Book) Plans(at time.Time) (all []Plan, err error) {
	for _, name := range b.Names(KindPlan) {
		var p PlanPrice
		_, err := b.Read(KindPlan, name, at, &p)
		if errors.Is(err, ErrNoPrice) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, Plan{ID: PlanID(name), Name: p.Name, Monthly: p.Monthly, Pool: p.Pool})
	}
	slices.SortStableFunc(all, func(a, b Plan) int { return int(a.Monthly - b.Monthly) })
	return all, nil
}

// Plan is a plan as it is sold at a moment, or ErrNoPlan.
func (b Book) Plan(id PlanID, at time.Time) (Plan, error) {
	var p PlanPrice
	_, err := b.Read(KindPlan, string(id), at, &p)
	if errors.Is(err, ErrNoPrice) {
		return Plan{}, ErrNoPlan
	}
	return Plan{ID: id, Name: p.Name, Monthly: p.Monthly, Pool: p.Pool}, err
}

// Model is what a model costs at a moment; ErrNoPrice when nobody has said so, or it is not sold. ModelSoon fills gaps.
func (b Book) Model(name string, at time.Time) (p ModelPrice, err error) {
	p, err = holds[ModelPrice](b, KindModel, name, at)
	if err == nil && p.Class == Unlisted {
		err = fmt.Errorf("%w: model %s is not sold", ErrNoPrice, name)
	}
	return p, err
}

// Markups are the markups at a moment.
func (b Book) Markups(at time.Time) (m Markups, err error) {
	return holds[Markups](b, KindMarkups, "", at)
}

// Weights are the weights of the pool at a moment.
func (b Book) Weights(at time.Time) (w Weights, err error) {
	return holds[Weights](b, KindWeights, "", at)
}
