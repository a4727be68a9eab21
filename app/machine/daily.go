package machine

import (
	"context"
	"slices"
	"time"
)

// Kept is how many of the snapshots that the hub makes by itself are kept of a server.
const Kept = 3

// thinOut drops the oldest of the snapshots that the hub made by itself, after it made one more. Those that somebody asked for stay.
// It says whether there is nothing more to drop: a snapshot that is being dropped is still listed for a while.
func (w *Worker) thinOut(ctx context.Context, place Place, a Act) (bool, error) {
	if !(Snapshot{Name: a.Name}).Daily() {
		return true, nil
	}
	copied := place.(Copied)
	all, err := copied.Snapshots(ctx, string(a.ServerID))
	if err != nil {
		return false, err
	}
	daily := slices.DeleteFunc(all, func(s Snapshot) bool { return !s.Daily() })
	if len(daily) <= Kept {
		return true, nil
	}
	_, err = copied.Drop(ctx, Ask{ServerID: string(a.ServerID), Snapshot: daily[0].Place})
	return false, err
}

// LateAfter is how long a server may be without a new daily snapshot until our staff are told.
const LateAfter = 48 * time.Hour

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
