package welcome

import (
	"context"
	"slices"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
)

// Task names a win; the same one in all kinds of business that have it.
type Task string

// Known reports whether some kind of business has such a win.
func (t Task) Known() bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { _, ok := k.Win(t); return ok })
}

// Win is one win of the kind; false when it has none of that name.
func (k Kind) Win(t Task) (Win, bool) {
	if i := slices.IndexFunc(k.Wins, func(w Win) bool { return w.Task == t }); i >= 0 {
		return k.Wins[i], true
	}
	return Win{}, false
}

// Mark is what became of a win.
type Mark struct{ Done, Dismissed bool }

// State is what a customer is offered.
type State struct {
	Kind    string // of business, as chosen, else as told at checkout; may be empty, or no known kind
	Ready   bool   // the order is fulfilled: there is a team to ask
	PutAway bool   // the customer does not want to see the list
	Marks   map[Task]Mark
}

// Item is a win as it is shown.
type Item struct {
	Win

	Done, Dismissed bool
}

// Business is the kind of business whose wins are offered.
func (s State) Business() Kind { return KindOf(s.Kind) }

// All are the wins of the customer's kind of business, with what became of them.
func (s State) All() []Item {
	var all []Item
	for _, w := range s.Business().Wins {
		m := s.Marks[w.Task]
		all = append(all, Item{w, m.Done, m.Dismissed})
	}
	return all
}

// Shown are the wins to show unasked: those not dismissed, as long as one of them is still to be done and the list is not put away.
func (s State) Shown() []Item {
	all := slices.DeleteFunc(s.All(), func(i Item) bool { return i.Dismissed })
	open := slices.ContainsFunc(all, func(i Item) bool { return !i.Done })
	if !s.Ready || s.PutAway || !open {
		return nil
	}
	return all
}

// Store keeps what became of the wins; db.FirstTasks does.
type Store interface {
	Read(ctx context.Context, of account.CustomerID) (State, error)
	Done(ctx context.Context, of account.CustomerID, t Task, at time.Time) error
	// Dismiss notes when a win was dismissed; a zero time takes that back.
	Dismiss(ctx context.Context, of account.CustomerID, t Task, at time.Time) error
	// Choose notes the kind of business, and shows the list again.
	Choose(ctx context.Context, of account.CustomerID, kind string, at time.Time) error
	// PutAway notes when the list was put away; a zero time brings it back, with all that was dismissed.
	PutAway(ctx context.Context, of account.CustomerID, at time.Time) error
}

// Service is what pages do with the wins.
type Service struct {
	Store Store
	Now   func() time.Time
}

// Of is what a customer is offered.
func (s *Service) Of(ctx context.Context, of account.CustomerID) (State, error) {
	return s.Store.Read(ctx, of)
}

// Done notes that a win was begun: its message was sent, or its schedule saved. What is no win is left alone.
func (s *Service) Done(ctx context.Context, of account.CustomerID, t Task) error {
	if !t.Known() {
		return nil
	}
	return s.Store.Done(ctx, of, t, s.Now().UTC())
}

// Dismiss takes a win from the list, or puts it back.
func (s *Service) Dismiss(ctx context.Context, of account.CustomerID, t Task, back bool) error {
	if back {
		return s.Store.Dismiss(ctx, of, t, time.Time{})
	}
	return s.Store.Dismiss(ctx, of, t, s.Now().UTC())
}

// errKind refuses a kind that is none.
var errKind = fault.Bad(map[string]string{"kind": "Choose one of the kinds of business on the list."})

// Choose notes what kind of business a customer is. That changes which wins and agents are offered, and nothing else: no agent
// comes or goes by it. A list that was put away is shown again.
func (s *Service) Choose(ctx context.Context, of account.CustomerID, kind string) error {
	if !KnownKind(kind) {
		return errKind
	}
	return s.Store.Choose(ctx, of, kind, s.Now().UTC())
}

// PutAway takes the list from the home page, or brings it back, with the wins that were dismissed one by one.
func (s *Service) PutAway(ctx context.Context, of account.CustomerID, back bool) error {
	if back {
		return s.Store.PutAway(ctx, of, time.Time{})
	}
	return s.Store.PutAway(ctx, of, s.Now().UTC())
}
