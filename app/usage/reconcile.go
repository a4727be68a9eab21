package usage

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/wire"
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

// check compares one server.
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
	text := differences(kept, has.Items)
	other, err := s.Store.Checked(ctx, id, text, now)
	if err != nil || text == "" || !other {
		return err == nil, text != "", err
	}
	a := wire.Alert{Kind: alertDiffers, Severity: "hard", Text: "Usage differs between the server and the hub: " + text, Time: now}
	return true, true, s.Alerts.RaiseOnce(ctx, id, a, now, now)
}

func (s *Service) ask(ctx context.Context, id server.ID, from, to time.Time) (has wire.UsageSums, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return has, s.Live.Call(ctx, string(id), wire.MethodUsageSums, wire.UsageSumsParams{From: from, To: to}, &has)
}

// differences says for people how the sums of the hub differ from those of a server; empty when they do not. An epoch that the
// server does not know any more says nothing: its database was lost, and what the hub has of it stays.
func differences(kept []Sum, has []wire.UsageSum) string {
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
	return strings.Join(all, "; ")
}
