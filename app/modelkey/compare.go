package modelkey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

const (
	// lag is how long a provider may take until an hour is counted whole.
	lag = 2 * time.Hour
	// settle is for how long a difference must stand: a request at the end of an hour counts in one hour here and the next there.
	settle = 2 * time.Hour
	// most is how far back is compared in one go.
	most = 31 * 24 * time.Hour
)

// alertProvider names alerts about what a provider counted otherwise.
const alertProvider = "usage.provider_differs"

// Reconcile compares each key with what the provider counted, and tells our staff when they differ by a token. It says how many differ.
// A server that has not reported all, or is away, is compared another time.
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
	since, input, output := balance(k.Since, to, ours, theirs)
	text := ""
	if to.Sub(since) >= settle {
		text = fmt.Sprintf("input %+d, output %+d tokens since %s", input, output, since.Format("2006-01-02 15:04"))
	}
	other, err := s.Store.Compared(ctx, k.Server, since, text, now)
	if err != nil || text == "" || !other {
		return text != "", err
	}
	a := wire.Alert{
		Kind: alertProvider, Severity: "hard", Time: now, Text: "The model provider counted otherwise than the hub: " + text + ".",
	}
	return true, s.Alerts.RaiseOnce(ctx, k.Server, a, now, now)
}

// balance adds both counts up hour by hour. since is the last moment until which they are equal; the rest is by how much the provider
// has counted more from there until to.
func balance(from, to time.Time, ours, theirs []Hour) (since time.Time, input, output int64) {
	type sum struct{ input, output int64 }
	more := map[time.Time]sum{}
	add := func(all []Hour, sign int64) {
		for _, h := range all {
			at := h.Start.UTC().Truncate(time.Hour)
			was := more[at]
			more[at] = sum{was.input + sign*h.Input, was.output + sign*h.Output}
		}
	}
	add(theirs, 1)
	add(ours, -1)
	since = from
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		input, output = input+more[at].input, output+more[at].output
		if input == 0 && output == 0 {
			since = at.Add(time.Hour)
		}
	}
	return since, input, output
}
