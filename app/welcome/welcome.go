package welcome

import (
	"context"
	"slices"
	"time"

	"gatehouse/app/account"
)

// Task names a first task.
type Task string

// The tasks, in the order in which they are offered.
const (
	Write Task = "write" // something written into a file
	Mail  Task = "mail"  // an e-mail to somebody outside: it leads to the first request
	Files Task = "files" // a look at the files
)

// Tasks are all of them.
func Tasks() []Task { return []Task{Write, Mail, Files} }

// Agent is whom a task is for.
func (t Task) Agent() string {
	if t == Files {
		return "it-admin"
	}
	return "secretary"
}

// Known reports whether there is such a task.
func (t Task) Known() bool { return slices.Contains(Tasks(), t) }

// Mark is what became of a task.
type Mark struct{ Done, Dismissed bool }

// State is what a customer is offered.
type State struct {
	Kind  string // of business, as told at checkout; may be empty
	Ready bool   // the order is fulfilled: there is a team to ask
	Marks map[Task]Mark
}

// Item is a task as it is shown.
type Item struct {
	Task Task
	Done bool
}

// Shown are the tasks to show: those not dismissed, as long as one of them is still to be done.
func (s State) Shown() []Item {
	var all []Item
	open := false
	for _, t := range Tasks() {
		if m := s.Marks[t]; !m.Dismissed {
			all = append(all, Item{t, m.Done})
			open = open || !m.Done
		}
	}
	if !s.Ready || !open {
		return nil
	}
	return all
}

// Store keeps what became of the tasks; db.FirstTasks does.
type Store interface {
	Read(ctx context.Context, of account.CustomerID) (State, error)
	Done(ctx context.Context, of account.CustomerID, t Task, at time.Time) error
	// Dismiss notes when a task was dismissed; a zero time takes that back.
	Dismiss(ctx context.Context, of account.CustomerID, t Task, at time.Time) error
}

// Service is what pages do with the tasks.
type Service struct {
	Store Store
	Now   func() time.Time
}

// Of is what a customer is offered.
func (s *Service) Of(ctx context.Context, of account.CustomerID) (State, error) {
	return s.Store.Read(ctx, of)
}

// Done notes that the message of a task was sent. What is no task is left alone.
func (s *Service) Done(ctx context.Context, of account.CustomerID, t Task) error {
	if !t.Known() {
		return nil
	}
	return s.Store.Done(ctx, of, t, s.Now().UTC())
}

// Dismiss takes a task from the list, or puts it back.
func (s *Service) Dismiss(ctx context.Context, of account.CustomerID, t Task, back bool) error {
	if back {
		return s.Store.Dismiss(ctx, of, t, time.Time{})
	}
	return s.Store.Dismiss(ctx, of, t, s.Now().UTC())
}
