package machine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/server"
	"gatehouse/app/staff"
)

// Kept is how many of the snapshots that the hub makes by itself are kept of a server.
const Kept = 3

// LateAfter is how long a server may be without a new daily snapshot until our staff are told.
const LateAfter = 48 * time.Hour

// LetterLate is the letter to our staff about a server without a new daily snapshot.
const LetterLate = "snapshot_late"

// DailyStore is what Worker needs for the snapshots of each day; db.SnapshotConsents has it.
type DailyStore interface {
	// Due lists servers with one of the providers whose owners agree, whose time of the day has come, which have no snapshot of that
	// name yet, and at which nothing else is done.
	Due(ctx context.Context, providers []string, name string, now time.Time, limit int) ([]server.ID, error)
	// ServersOf lists all servers that a customer has or had.
	ServersOf(ctx context.Context, of account.CustomerID) ([]server.Server, error)
	// TellLate notes of which servers with one of the providers our staff are told that the last daily snapshot is older than before,
	// and queues a letter to each of them whose role is one of roles.
	TellLate(ctx context.Context, providers []string, now, before time.Time, roles []string) (int, error)
}

// dailyName is what the snapshot of a day is called.
func dailyName(now time.Time) string { return dailyPrefix + now.UTC().Format(time.DateOnly) }

const dueAtOnce = 20

// Daily asks for the snapshots of this day that are due, and says how many. Each server has its own time of the day.
func (w *Worker) Daily(ctx context.Context) (int, error) {
	now := w.Now().UTC().Truncate(time.Microsecond)
	name := dailyName(now)
	due, err := w.Days.Due(ctx, w.copying(), name, now, dueAtOnce)
	if err != nil {
		return 0, fmt.Errorf("daily snapshots: %w", err)
	}
	n := 0
	var errs []error
	for _, id := range due {
		srv, err := w.Servers.Find(ctx, id)
		if err == nil {
			a := Act{ID: uuid.Must(uuid.NewV7()).String(), ServerID: id, Verb: Take, Name: name, By: byHub, State: Asked, At: now}
			err = w.Store.Add(ctx, a, entryOf(a, srv, audit.Itself), "")
		}
		switch {
		case err == nil:
			n++
		case !errors.Is(err, ErrBusy): // another hub, or one of our staff, was quicker
			errs = append(errs, err)
		}
	}
	return n, errors.Join(errs...)
}

// copying are the names of the places that keep snapshots.
func (w *Worker) copying() (names []string) {
	for name, p := range w.Places {
		if _, ok := p.(Copied); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TellLate tells our staff of servers whose daily snapshots stay away.
func (w *Worker) TellLate(ctx context.Context) (int, error) {
	var roles []string
	for _, r := range staff.With(staff.ServersPower) {
		roles = append(roles, string(r))
	}
	now := w.Now().UTC()
	return w.Days.TellLate(ctx, w.copying(), now, now.Add(-LateAfter), roles)
}

// allowed says whether the owner of a server agrees to snapshots.
func (w *Worker) allowed(ctx context.Context, of account.CustomerID) (bool, error) {
	since, err := w.Store.Agreed(ctx, of)
	return !since.IsZero(), ours(err)
}

// taken does what follows a snapshot. It says whether there is nothing more to do: one that is being dropped is listed for a while.
func (w *Worker) taken(ctx context.Context, copied Copied, srv server.Server, name string) (bool, error) {
	all, err := copied.Snapshots(ctx, string(srv.ID))
	if err != nil {
		return false, err
	}
	allowed, err := w.allowed(ctx, srv.CustomerID)
	if err != nil {
		return false, err
	}
	surplus := overdue(all)
	if !allowed { // the owner took the consent back meanwhile
		surplus = slices.DeleteFunc(all, func(s Snapshot) bool { return s.Name != name })
	}
	for _, s := range surplus {
		if _, err := copied.Drop(ctx, Ask{ServerID: string(srv.ID), Snapshot: s.Place}); err != nil {
			return false, err
		}
	}
	return len(surplus) == 0, nil
}

// overdue are the oldest of the snapshots that the hub made by itself, beyond those that are kept. Those that somebody asked for
// are none of them.
func overdue(all []Snapshot) []Snapshot {
	daily := slices.DeleteFunc(slices.Clone(all), func(s Snapshot) bool { return !s.Daily() })
	return daily[:max(0, len(daily)-Kept)]
}

// lateSince is when the last daily snapshot was made, or when snapshots were agreed to, if that is too long ago; else zero.
func lateSince(agreed time.Time, all []Copy, now time.Time) time.Time {
	last := agreed
	for _, c := range all {
		if c.Daily() && c.Ready && c.MadeAt.After(last) {
			last = c.MadeAt
		}
	}
	if agreed.IsZero() || now.Sub(last) < LateAfter {
		return time.Time{}
	}
	return last
}

// DropAll deletes all snapshots of a customer who took the consent back, and says after how long to look again; 0 when there are
// none any more. An owner who agrees again meanwhile keeps what is left.
func (w *Worker) DropAll(ctx context.Context, of account.CustomerID) (time.Duration, error) {
	all, err := w.Days.ServersOf(ctx, of)
	if err != nil {
		return 0, err
	}
	again := time.Duration(0)
	for _, srv := range all {
		copied, ok := w.Places[srv.Provider].(Copied)
		if !ok {
			continue
		}
		wait, cancel := context.WithTimeout(ctx, askWait)
		left, err := w.dropOf(wait, copied, srv)
		cancel()
		switch {
		case isOurs(err):
			return 0, err
		case err != nil:
			w.Log.WarnContext(ctx, "snapshots not deleted", "server_id", srv.ID, "error", err)
			again = tryAgain
		case left:
			again = max(again, lookAgain)
		}
		if err := w.Look(ctx, srv.ID); err != nil {
			return 0, err
		}
	}
	return again, nil
}

// dropOf deletes the snapshots of a server, and says whether some may be left.
func (w *Worker) dropOf(ctx context.Context, copied Copied, srv server.Server) (left bool, err error) {
	list, err := copied.Snapshots(ctx, string(srv.ID))
	if err != nil {
		return true, err
	}
	for _, s := range list {
		allowed, err := w.allowed(ctx, srv.CustomerID)
		if err != nil || allowed {
			return false, err
		}
		if _, err := copied.Drop(ctx, Ask{ServerID: string(srv.ID), Snapshot: s.Place}); err != nil {
			return true, err
		}
	}
	return len(list) > 0, nil
}
