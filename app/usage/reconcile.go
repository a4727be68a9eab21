package usage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

const (
	day        = 24 * time.Hour
	compared   = 35        // days back
	grace      = time.Hour // after the end of a day until it is compared
	askAtOnce  = 20        // servers
	answerTime = 15 * time.Second
	maxListed  = 5 // differences in an alert
)

// Reconcile compares the sums of each day with those of the servers, to the token, and tells our staff what differs. A server
// that is away, or that says that not all has been reported yet, is compared another time.
func (s *Service) Reconcile(ctx context.Context) (checked, off int, err error) {
	ids, err := s.Store.Reporting(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("reconcile usage: %w", err)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	free := make(chan struct{}, askAtOnce)
	for _, id := range ids {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			done, differs, err := s.check(ctx, id)
			if err != nil {
				s.Log.WarnContext(ctx, "usage not compared", "server_id", id, "error", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if done {
				checked++
			}
			if differs {
				off++
			}
		})
	}
	all.Wait()
	return checked, off, ctx.Err()
}

// check compares one server. Days of which the hub has less are asked for again: it may stand on an older copy of its database.
func (s *Service) check(ctx context.Context, id server.ID) (done, differs bool, err error) {
	now := s.Now().UTC()
	to := now.Add(-grace).Truncate(day)
	from := to.AddDate(0, 0, -compared)
	has, err := s.ask(ctx, id, from, to)
	if err != nil || has.Waiting {
		return false, false, err
	}
	kept, err := s.Store.Sums(ctx, id, from, to)
	if err != nil {
		return false, false, err
	}
	text, lacks := differences(kept, has.Items)
	other, err := s.Store.Checked(ctx, id, text, now)
	if err != nil || text == "" || !other {
		return err == nil, text != "", err
	}
	if err := s.askAgain(ctx, id, lacks, now); err != nil {
		return true, true, err
	}
	a := wire.Alert{Kind: alertDiffers, Severity: "hard", Text: "Usage differs between the server and the hub: " + text, Time: now}
	return true, true, s.Alerts.RaiseOnce(ctx, id, a, now, now)
}

func (s *Service) ask(ctx context.Context, id server.ID, from, to time.Time) (has wire.UsageSums, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return has, s.Live.Call(ctx, string(id), wire.MethodUsageSums, wire.UsageSumsParams{From: from, To: to}, &has)
}

// askAgain asks a server to report days once more, once for each difference. What comes is kept as any report: the larger revision
// counts, and what belongs to a month that was billed stands on the next invoice. While the server cannot be asked, the difference
// counts as a new one.
func (s *Service) askAgain(ctx context.Context, id server.ID, days []time.Time, now time.Time) error {
	if len(days) == 0 {
		return nil
	}
	call, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var got wire.UsageAgain
	err := s.Live.Call(call, string(id), wire.MethodUsageAgain, wire.UsageAgainParams{Days: days}, &got)
	if err == nil || fault.Of(err).Kind == fault.Invalid { // a server of an older version cannot
		s.Log.InfoContext(ctx, "usage that the hub lacks asked for again", "server_id", id, "days", len(days), "rows", got.Rows,
			"error", err)
		return nil
	}
	s.Log.WarnContext(ctx, "usage that the hub lacks not asked for", "server_id", id, "days", len(days), "error", err)
	_, err = s.Store.Checked(ctx, id, "", now)
	return err
}

// differences says for people how the sums of the hub differ from those of a server, empty when they do not, and on which days the hub
// lacks something. An epoch that the server does not know any more says nothing: its database was lost, and what the hub has of it
// stays.
func differences(kept []Sum, has []wire.UsageSum) (text string, lacks []time.Time) {
	type place struct {
		epoch string
		day   time.Time
	}
	hub, known := map[place]Counts{}, map[string]bool{}
	for _, k := range kept {
		hub[place{k.Epoch, k.Day.UTC()}] = k.Counts
	}
	var all []string
	differ := func(at place, here, there Counts) {
		if here != there {
			all = append(all, fmt.Sprintf("%s: %d tokens here, %d there", at.day.Format(time.DateOnly), here.Tokens(), there.Tokens()))
		}
	}
	for _, h := range has {
		at := place{h.Epoch, h.Day.UTC()}
		known[h.Epoch] = true
		if hub[at].lessThan(countsOf(h.UsageCounts)) && !slices.ContainsFunc(lacks, at.day.Equal) {
			lacks = append(lacks, at.day)
		}
		differ(at, hub[at], countsOf(h.UsageCounts))
		delete(hub, at)
	}
	for _, k := range kept {
		if at := (place{k.Epoch, k.Day.UTC()}); known[k.Epoch] && hub[at] == k.Counts {
			differ(at, k.Counts, Counts{})
		}
	}
	if more := len(all) - maxListed; more > 0 {
		all = append(all[:maxListed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; "), lacks
}
