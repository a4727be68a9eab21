package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/server"
)

// Notifier tells open pages that a server changed.
type Notifier interface {
	ServerChanged(ctx context.Context, of account.CustomerID, id server.ID)
}

// Worker does at the providers what Service took.
type Worker struct {
	Store   Store
	Days    DailyStore
	Servers Servers
	Places  map[string]Place // by name
	Notify  Notifier
	Log     *slog.Logger
	Now     func() time.Time
}

const (
	askWait   = 40 * time.Second // for one answer of a provider, with the repeats of its client
	lookAgain = 5 * time.Second
	tryAgain  = 20 * time.Second
)

// Work brings an act a step further and says after how long to do so again; 0 when it has ended. It may be cut off anywhere and
// repeated: where the provider's record stood is kept before anything is asked, so that a repeat finds what was begun.
func (w *Worker) Work(ctx context.Context, id string) (time.Duration, error) {
	a, err := w.Store.Get(ctx, id)
	if err != nil || a.State != Asked && a.State != Underway {
		return 0, err
	}
	srv, err := w.Servers.Find(ctx, a.ServerID)
	if err != nil {
		return 0, err
	}
	place := w.Places[srv.Provider]
	if place == nil || !AbilitiesOf(place).Can(a.Verb) {
		return 0, w.end(ctx, srv, a, Failed, ErrCannot.Public)
	}
	wait, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	done, err := w.step(wait, place, srv, &a)
	reason, final := refused(err)
	switch {
	case err == nil && done:
		return 0, w.end(ctx, srv, a, Done, "")
	case final:
		return 0, w.end(ctx, srv, a, Failed, reason)
	case isOurs(err):
		return 0, err
	case w.Now().After(a.At.Add(rules[a.Verb].within)):
		return 0, w.end(ctx, srv, a, Unknown, "The provider did not say in time how this ended. Look at the machine before you try again.")
	case err != nil:
		w.Log.WarnContext(ctx, "provider not asked", "server_id", srv.ID, "verb", a.Verb, "error", err)
		var later Later
		if errors.As(err, &later) {
			return max(later.After(), time.Second), nil
		}
		return tryAgain, nil
	}
	return lookAgain, nil
}

// ownError is a failure of the hub's own database: the queue tries the work again.
type ownError struct{ error }

func (e ownError) Unwrap() error { return e.error }

func isOurs(err error) bool {
	var o ownError
	return errors.As(err, &o)
}

func ours(err error) error {
	if err == nil {
		return nil
	}
	return ownError{err}
}

// step asks the place to begin an act, or whether what it began has ended.
func (w *Worker) step(ctx context.Context, place Place, srv server.Server, a *Act) (done bool, err error) {
	if a.Verb == Take && a.Task == "" {
		if allowed, err := w.allowed(ctx, srv.CustomerID); err != nil || !allowed {
			return false, cmp.Or(err, error(notAgreed{}))
		}
	}
	record, recorded := place.(Recorded)
	if recorded && !a.Marked {
		mark, err := record.Mark(ctx, string(a.ServerID))
		if err != nil {
			return false, err
		}
		if err := w.Store.Marked(ctx, a.ID, mark); err != nil {
			return false, ours(err)
		}
		a.Mark, a.Marked = mark, true
	}
	if a.Task == "" {
		if a.Task, err = begin(ctx, place, *a); err != nil || a.Task == "" {
			return err == nil, err
		}
		if err := w.Store.Begun(ctx, a.ID, a.Task); err != nil {
			return false, ours(err)
		}
	}
	if !recorded {
		return true, nil
	}
	done, err = record.Ended(ctx, string(a.ServerID), a.Task)
	if err != nil || !done || a.Verb != Take {
		return done, err
	}
	return w.taken(ctx, place.(Copied), srv, a.Name)
}

// notAgreed refuses a snapshot whose owner took the consent back before it was begun.
type notAgreed struct{}

func (notAgreed) Error() string   { return "owner does not agree to snapshots" }
func (notAgreed) Refusal() string { return ErrNoConsent.Public }

// begin asks the place for what the verb says.
func begin(ctx context.Context, place Place, a Act) (task string, err error) {
	ask := Ask{ServerID: string(a.ServerID), Mark: a.Mark, Key: a.Key, Name: a.Name, Snapshot: a.Snapshot}
	switch a.Verb {
	case On, Off, Reset:
		return place.(Powered).Switch(ctx, ask, a.Verb)
	case RescueOn, RescueOff:
		return place.(Rescued).Rescue(ctx, ask, a.Verb == RescueOn)
	case Reinstall:
		return place.(Reinstalled).Reinstall(ctx, ask)
	case Take:
		return place.(Copied).Take(ctx, ask)
	case Drop:
		return place.(Copied).Drop(ctx, ask)
	case Restore:
		return place.(Copied).Restore(ctx, ask)
	}
	return "", fmt.Errorf("act %s: %w", a.Verb, ErrVerb)
}

// end looks at the machine, then keeps how an act ended: who reads that it ended sees what came of it.
func (w *Worker) end(ctx context.Context, srv server.Server, a Act, state ActState, said string) error {
	if err := w.look(ctx, srv); err != nil {
		return err
	}
	a.State, a.Said, a.EndedAt = state, said, w.Now().UTC()
	if err := w.Store.End(ctx, a); err != nil {
		return err
	}
	w.Notify.ServerChanged(ctx, srv.CustomerID, srv.ID)
	return nil
}

// Look asks the provider how a machine is and which snapshots of it there are, and keeps that. A provider that cannot be asked is no
// error: what was known before stays, with the reason.
func (w *Worker) Look(ctx context.Context, id server.ID) error {
	srv, err := w.Servers.Find(ctx, id)
	if err != nil {
		return err
	}
	if err := w.look(ctx, srv); err != nil {
		return err
	}
	w.Notify.ServerChanged(ctx, srv.CustomerID, id)
	return nil
}

func (w *Worker) look(ctx context.Context, srv server.Server) error {
	seen, err := w.Store.Seen(ctx, srv.ID)
	if err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	now, all, err := w.ask(wait, srv)
	if err != nil {
		reason, final := refused(err)
		if !final {
			w.Log.WarnContext(ctx, "provider not asked", "server_id", srv.ID, "error", err)
			reason = "The provider did not answer. What stands here is from the last time that it did."
		}
		seen.Problem, all = reason, nil
	} else {
		seen = now
		seen.At = w.Now().UTC()
	}
	return w.Store.Saw(ctx, srv.ID, seen, all)
}

// ask asks a provider for all that it says of a machine.
func (w *Worker) ask(ctx context.Context, srv server.Server) (s Seen, all []Snapshot, err error) {
	place := w.Places[srv.Provider]
	if p, ok := place.(Powered); ok {
		if s.State, err = p.State(ctx, string(srv.ID)); err != nil {
			return s, nil, err
		}
	}
	if p, ok := place.(Measured); ok {
		now := w.Now()
		if s.Measures, err = p.Measures(ctx, string(srv.ID), now.Add(-time.Hour), now); err != nil {
			return s, nil, err
		}
	}
	if p, ok := place.(Copied); ok {
		if all, err = p.Snapshots(ctx, string(srv.ID)); err != nil {
			return s, nil, err
		}
		if all == nil {
			all = []Snapshot{}
		}
	}
	return s, all, nil
}
