package job_test

import (
	"strings"
	"testing"

	"gatehouse/app/fault"
	"gatehouse/app/job"
)

// TestJob_acts: what may be done about a job in each of its states.
func TestJob_acts(t *testing.T) {
	t.Parallel()
	for state, want := range map[job.State]struct{ retry, cancel bool }{
		job.Available: {false, true}, job.Scheduled: {true, true}, job.Pending: {false, true}, job.Running: {false, true},
		job.Retryable: {true, true}, job.Discarded: {true, false}, job.Completed: {false, false}, job.Cancelled: {true, false},
	} {
		j := job.Job{State: state}
		if j.CanRetry() != want.retry || j.CanCancel() != want.cancel {
			t.Errorf("%s: retry %t, cancel %t", state, j.CanRetry(), j.CanCancel())
		}
	}
	if (job.Job{State: job.Running, Stopping: true}).CanCancel() {
		t.Error("a job that is being stopped can be canceled again")
	}
}

func TestFilter_Clean(t *testing.T) {
	t.Parallel()
	for field, f := range map[string]job.Filter{
		"state": {State: "burnt"}, "queue": {Queue: strings.Repeat("x", 101)}, "kind": {Kind: "a\x00"},
	} {
		if err := f.Clean(); fault.Of(err).Fields[field] == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, s := range append(job.States(), "", job.Failed) {
		if err := (job.Filter{State: s}).Clean(); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestNewAsk(t *testing.T) {
	t.Parallel()
	if a, err := job.NewAsk("", ""); err != nil || a.Limit != 50 || a.After != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	for _, bad := range [][2]string{{"x", ""}, {"0", ""}, {"-1", ""}, {"", "0"}, {"", "201"}, {"", "x"}} {
		if _, err := job.NewAsk(bad[0], bad[1]); fault.Of(err).Kind != fault.Invalid {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
