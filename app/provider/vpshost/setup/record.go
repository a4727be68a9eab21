package setup

import (
	"context"
	"errors"
	"time"
)

// State is how far a step is.
type State string

// The states of a step.
const (
	Running State = "running"
	Done    State = "done"    // it was done in this attempt
	Kept    State = "kept"    // nothing was to be done
	Failed  State = "failed"  // the note says why
	Cut     State = "cut off" // its worker was silent, and another took over
)

// Note is one step of one attempt, as it is kept.
type Note struct {
	Step    string
	Attempt int
	State   State
	Text    string    // Failed: the last words of the step
	Started time.Time // UTC
	Ended   time.Time // UTC; zero while it runs
}

// What a record refuses.
var (
	// ErrBusy says that another worker sets the machine up right now.
	ErrBusy = errors.New("another worker sets this machine up")
	// ErrStopped says that the order was stopped: no further step begins.
	ErrStopped = errors.New("the order of this machine was stopped")
	// ErrOvertaken says that another worker has taken over.
	ErrOvertaken = errors.New("another worker has taken this set-up over")
)

// Silence is how long a worker may say nothing before another may take over, and beatEvery how often it says that it works.
const (
	Silence   = time.Minute
	beatEvery = 15 * time.Second
)

// Record keeps how far a set-up is; db.Setups has it. All but Begin and Notes answer ErrOvertaken to a worker whose attempt is not
// the newest.
type Record interface {
	// Begin takes charge of a server's set-up and gives the number of the attempt. While another worker is heard of it answers
	// ErrBusy, and ErrStopped when the order was stopped.
	Begin(ctx context.Context, serverID string) (attempt int, err error)
	// Beat says that the worker is at work.
	Beat(ctx context.Context, serverID string, attempt int) error
	// Start notes that a step begins, or answers ErrStopped when the order was stopped.
	Start(ctx context.Context, serverID string, attempt int, step string) error
	// End notes how a step ended.
	End(ctx context.Context, serverID string, attempt int, step string, s State, text string) error
	// Leave ends the attempt: the next one may begin at once.
	Leave(ctx context.Context, serverID string, attempt int) error
}
