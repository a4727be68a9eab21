package job

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"gatehouse/app/fault"
	"gatehouse/app/page"
)

// State is where a job stands, as the queue names it.
type State string

// The states.
const (
	Available State = "available" // waits for a free worker
	Scheduled State = "scheduled" // waits for its time
	Pending   State = "pending"   // waits for something else
	Running   State = "running"
	Retryable State = "retryable" // failed, and is tried again at its time
	Completed State = "completed"
	Cancelled State = "cancelled"
	Discarded State = "discarded" // failed, and is not tried again
)

// States lists the states, in the order in which a job may go through them.
func States() []State {
	return []State{Available, Scheduled, Pending, Running, Retryable, Discarded, Completed, Cancelled}
}

// Failed is a filter for both states of failure.
const Failed State = "failed"

// Of are the states that a filter leaves.
func Of(filter State) []State {
	if filter == Failed {
		return []State{Retryable, Discarded}
	}
	return []State{filter}
}

// Arg is one of the ids that a job is about.
type Arg struct{ Name, Value string }

// Failure is one try that failed.
type Failure struct {
	At      time.Time
	Attempt int
	Text    string
}

// Job is one piece of background work.
type Job struct {
	ID           int64
	Queue, Kind  string
	State        State
	Args         []Arg // ids and names, no contents
	Attempt, Max int
	CreatedAt    time.Time
	StartedAt    time.Time // the last try; zero before the first
	NextAt       time.Time // when it is tried; in the past once it was
	EndedAt      time.Time // zero until it has ended
	Stopping     bool      // it runs and was asked to stop
	Failures     []Failure // the newest first
}

// CanRetry says whether a job can be tried now: not while it runs or waits for a worker, and not again once it is done.
func (j Job) CanRetry() bool {
	return slices.Contains([]State{Scheduled, Retryable, Discarded, Cancelled}, j.State)
}

// CanCancel says whether a job can be kept from being tried again.
func (j Job) CanCancel() bool {
	return !j.Stopping && slices.Contains([]State{Available, Scheduled, Pending, Running, Retryable}, j.State)
}

// Queue is one queue with how many jobs stand where.
type Queue struct {
	Name   string
	Paused bool
	Counts map[State]int
}

// Waiting is how many jobs will be tried without anybody's doing, except those that failed before.
func (q Queue) Waiting() int { return q.Counts[Available] + q.Counts[Scheduled] + q.Counts[Pending] }

// Failed is how many jobs failed, whether they are tried again or not.
func (q Queue) Failed() int { return q.Counts[Retryable] + q.Counts[Discarded] }

// Board is all queues by name, with the kinds of jobs that are in them.
type Board struct {
	Queues []Queue
	Kinds  []string
}

// Filter narrows the list of jobs.
type Filter struct {
	Queue, Kind string
	State       State // or Failed
}

// Ask is which page of the list: After is the id of the last job of the page before.
type Ask struct {
	After int64
	Limit int
}

// NewAsk reads a page as addresses write it.
func NewAsk(after, limit string) (Ask, error) {
	a, bad := Ask{Limit: page.DefaultLimit}, map[string]string{}
	var err error
	if after != "" {
		if a.After, err = strconv.ParseInt(after, 10, 64); err != nil || a.After < 1 {
			bad["after"] = "This is no cursor of ours. Start again without it."
		}
	}
	if limit != "" {
		if a.Limit, err = strconv.Atoi(limit); err != nil || a.Limit < 1 || a.Limit > page.MaxLimit {
			bad["limit"] = "Ask for 1 to 200 items."
		}
	}
	if len(bad) > 0 {
		return Ask{}, fault.Bad(bad)
	}
	return a, nil
}

// Clean says what does not fit.
func (f Filter) Clean() error {
	bad := map[string]string{}
	for name, v := range map[string]string{"queue": f.Queue, "kind": f.Kind, "state": string(f.State)} {
		if utf8.RuneCountInString(v) > 100 || !utf8.ValidString(v) || slices.Contains([]byte(v), 0) {
			bad[name] = "Look for at most 100 characters."
		}
	}
	if f.State != "" && f.State != Failed && !slices.Contains(States(), f.State) {
		bad["state"] = "No job is ever in this state."
	}
	if len(bad) > 0 {
		return fault.Bad(bad)
	}
	return nil
}
