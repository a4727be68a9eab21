package modelkey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/wire"
)

const (
	// lag is how long a provider may take until an hour is counted whole.
	lag = 2 * time.Hour
	// settle is over how many ends of hours a difference must stand: a request at the end of an hour counts in one hour here and in the
	// next there, so that both counts may differ at some ends of hours though nothing is missing.
	settle = 6
	// most is how far back is compared in one go.
	most = 31 * 24 * time.Hour
)

// alertProvider names alerts about what a provider counted otherwise.
const alertProvider = "usage_provider_differs"

// Reconcile compares each key with what the provider counted, and tells our staff when they differ by a token. It says how many differ
// otherwise than what was told already. A server that has not reported all, or is away, is compared another time.
func (s *Service) Reconcile(ctx context.Context) (off int, err error) {
	if !s.Provider.Ready() {
		return 0, nil
	}
	keys, err := s.Store.All(ctx)
	errs := []error{err}
	for _, k := range keys {
		differs, err := s.compare(ctx, k)
		if differs {
			off++
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("compare key of server %s: %w", k.Server, err))
		}
	}
	return off, errors.Join(errs...)
}

func (s *Service) compare(ctx context.Context, k Key) (differs bool, err error) {
	now := s.Now().UTC()
	to := now.Add(-lag).Truncate(time.Hour)
	if earliest := to.Add(-most); k.Since.Before(earliest) {
		k.Since = earliest
	}
	if !to.After(k.Since) {
		return false, nil
	}
	if settled, err := s.Meter.Settled(ctx, k.Server); err != nil || !settled {
		return false, err
	}
	ours, err := s.Meter.House(ctx, k.Server, k.Since, to)
	if err != nil {
		return false, err
	}
	theirs, err := s.Provider.Count(ctx, k.ID, k.Since, to)
	if err != nil {
		return false, err
	}
	d, stands := balance(k.Since, to, ours, theirs)
	if !stands {
		return false, s.Store.Compared(ctx, k.Server, d.until, "", now)
	}
	text := fmt.Sprintf("input %+d, output %+d tokens", d.input, d.output)
	a := wire.Alert{
		Kind: alertProvider, Severity: "hard", Time: now,
		Text: fmt.Sprintf("The model provider counted otherwise than the hub: %s since %s.", text, k.Since.Format("2006-01-02 15:04")),
	}
	if err := s.Alerts.RaiseOnce(ctx, k.Server, a, now, now); err != nil {
		return true, err
	}
	return true, s.Store.Compared(ctx, k.Server, d.until, text, now) // what is told is not told again: it is counted from there on
}

// difference is by how much the provider has counted more, up to the end of an hour.
type difference struct {
	until         time.Time
	input, output int64
}

func (d difference) size() int64 { return max(d.input, -d.input) + max(d.output, -d.output) }

// balance adds both counts up hour by hour, without the hours in which the hub's is an estimate in part. It gives the last end of an
// hour at which they were equal; where they differ at the last ends of hours, the least difference among those, which stands. Anything
// above it was on its way.
func balance(from, to time.Time, ours, theirs []Hour) (d difference, stands bool) {
	more := map[time.Time]difference{}
	add := func(all []Hour, sign int64) {
		for _, h := range all {
			at := h.Start.UTC().Truncate(time.Hour)
			was := more[at]
			more[at] = difference{input: was.input + sign*h.Input, output: was.output + sign*h.Output}
		}
	}
	add(theirs, 1)
	add(ours, -1)
	for _, h := range ours {
		if h.Estimated {
			delete(more, h.Start.UTC().Truncate(time.Hour))
		}
	}
	equal, now := from, difference{}
	var last []difference
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		now = difference{at.Add(time.Hour), now.input + more[at].input, now.output + more[at].output}
		if last = append(last, now); now.size() == 0 {
			equal, last = now.until, nil
		}
	}
	if len(last) < settle {
		return difference{until: equal}, false
	}
	return slices.MinFunc(last[len(last)-settle:], func(a, b difference) int { return cmp.Compare(a.size(), b.size()) }), true
}
