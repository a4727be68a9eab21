package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/jobs"
	"gatehouse/jobs/provision"
)

func pageOf(limit int) page.Ask { return page.Ask{Limit: limit} }

func texts(all []order.Line) string {
	var lines []string
	for _, l := range all {
		lines = append(lines, l.Text)
	}
	return strings.Join(lines, "\n")
}

// stuck never comes back from the step that gets a machine.
type stuck struct{ jobs.Steps }

func (s stuck) Do(ctx context.Context, o order.Order, log provision.Log) (provision.Done, error) {
	if o.State == order.AwaitingServer {
		log(ctx, "stuck in this step")
		<-ctx.Done()
	}
	return s.Steps.Do(ctx, o, log)
}

func TestAdvanceOrderWorker_NextRetry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	w := &jobs.AdvanceOrderWorker{Now: func() time.Time { return now }}
	for try, want := range map[int]time.Duration{1: time.Minute, 2: 5 * time.Minute, 3: 15 * time.Minute} {
		job := &river.Job[jobs.AdvanceOrderArgs]{JobRow: &rivertype.JobRow{Attempt: try}}
		if got := w.NextRetry(job).Sub(now); got != want {
			t.Errorf("after try %d: %s, want %s", try, got, want)
		}
	}
	if got := (jobs.AdvanceOrderArgs{}).InsertOpts().MaxAttempts; got != 4 {
		t.Errorf("%d tries, want 4", got)
	}
}
