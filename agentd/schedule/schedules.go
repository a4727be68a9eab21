package schedule

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/schedule/webhook"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Start is a run that a schedule begins.
type Start struct {
	RunID    string
	Session  string
	Agent    string
	Title    string // of a conversation that begins with it
	Task     string
	Say      string          // the answer, where no model is asked
	Level    int             // the run stands no higher
	Taint    []policy.Source // stands behind the run
	Fresh    bool            // it reads nothing of the runs before it
	Archived bool            // nobody wants to hear of it
	From     wire.Origin
	At       time.Time
}

// Outcome is how a run stands.
type Outcome struct {
	State   wire.RunState // empty: it is not there anymore
	Parked  bool          // it waits for a decision
	Changed bool          // it, or one that it delegated to, made a call that does more than read
	Paused  bool          // it failed because the team, or its agent, is paused
	Why     string        // of one that failed, in words
}

// Failure is a date of a schedule that has failed for good.
type Failure struct {
	Seq                                       int64 // names it
	Schedule, Title, Agent, Task, Reason, Run string
	From                                      wire.Origin
	Taint                                     []policy.Source // stands behind the schedule
}

// Runs begins runs and says how they stand; the daemon has one.
type Runs interface {
	// Begin puts a run on record inside tx; it is at work once tx is durable. An error of type *wire.RPCError says that there
	// can be no run in this conversation.
	Begin(tx *sql.Tx, s Start) error
	// Outcome says how a run stands.
	Outcome(tx *sql.Tx, runID string) (Outcome, error)
}

// Receipts is the log; receipt.Log is one.
type Receipts interface {
	Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error)
}

// Deps is what schedules stand on.
type Deps struct {
	DB       *store.DB
	Receipts Receipts
	Runs     Runs
	HasAgent func(id string) bool
	Paused   func(agent string) *wire.AgentPause // the budget that keeps an agent from working; nil: none does
	Look     Looker
	Failed   func(tx *sql.Tx, f Failure) error // hears in the transaction that writes it what failed for good; may be nil
	Webhooks *webhook.Webhooks                 // sends results to addresses; nil: none can be set
	Config   func() wire.Config
	Now      func() time.Time
	Log      *slog.Logger
}

// Schedules are the schedules of one server.
type Schedules struct {
	d     Deps
	wake  chan struct{}
	watch chan struct{} // the same, for monitors
}

// New gives the schedules in d.DB. Nothing is due before Run.
func New(d Deps) *Schedules {
	return &Schedules{d: d, wake: make(chan struct{}, 1), watch: make(chan struct{}, 1)}
}

// Wake has it looked at once for what is due: a run has ended, or a schedule was changed.
func (s *Schedules) Wake() {
	for _, c := range []chan struct{}{s.wake, s.watch} {
		select {
		case c <- struct{}{}:
		default: // it looks already
		}
	}
}

// lookEvery is how often the clock is read: it may be set, and a machine that slept does not notice.
const lookEvery = 15 * time.Second

// Run starts what is due, until ctx ends.
func (s *Schedules) Run(ctx context.Context) error {
	if err := s.Tidy(ctx); err != nil && ctx.Err() == nil {
		s.d.Log.ErrorContext(ctx, "schedules not tidied", "error", err)
	}
	return s.each(ctx, s.wake, s.Pass)
}

// each has pass look at once, when it says so, and when something wakes it, until ctx ends.
func (s *Schedules) each(ctx context.Context, wake <-chan struct{}, pass func(context.Context) (time.Time, error)) error {
	for {
		wait := lookEvery
		next, err := pass(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			s.d.Log.ErrorContext(ctx, "schedules not looked at", "error", err)
		case !next.IsZero():
			wait = max(min(wait, next.Sub(s.now())), time.Millisecond)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-wake:
		}
		timer.Stop()
	}
}

// now is the time on the clock, which may have been set.
func (s *Schedules) now() time.Time { return s.d.Now().UTC().Round(0).Truncate(time.Microsecond) }

// Methods answers questions about schedules.
func (s *Schedules) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The question about a schedule cannot be read.", Optional: true, Strict: true}
	return rpc.Methods{
		wire.MethodSchedulesList:   rpc.With(in, s.List),
		wire.MethodSchedulesFailed: rpc.With(in, s.failed),
		wire.MethodSchedulesDue:    rpc.With(in, s.coming),
		wire.MethodSchedulesSet:    rpc.With(in, s.set),
		wire.MethodScheduleRead:    rpc.With(in, s.read),
		wire.MethodScheduleGet:     rpc.With(in, s.Get),
		wire.MethodScheduleTicks:   rpc.With(in, s.ticks),
		wire.MethodScheduleCreate:  rpc.With(in, s.create),
		wire.MethodScheduleEdit:    rpc.With(in, s.edit),
		wire.MethodSchedulePause:   rpc.With(in, s.pause),
		wire.MethodScheduleResume:  rpc.With(in, s.resume),
		wire.MethodScheduleDelete:  rpc.With(in, s.delete),
		wire.MethodScheduleRun:     rpc.With(in, s.runNow),
		wire.MethodScheduleDismiss: rpc.With(in, s.dismiss),
		wire.MethodScheduleWebhook: rpc.With(in, s.webhook),
	}
}

func badRequest(text string) error { return &wire.RPCError{Code: "bad_request", Text: text} }

func conflict(text string) error { return &wire.RPCError{Code: "conflict", Text: text} }

var errNone = &wire.RPCError{Code: "not_found", Text: "This schedule is not on your server. It may have been deleted."}

// txn is a transaction with the one who writes in it.
type txn struct {
	tx *sql.Tx
	db *store.DB
}

// write runs fn in a durable transaction.
func (s *Schedules) write(ctx context.Context, fn func(t txn) error) error {
	return s.d.DB.Write(ctx, func(tx *sql.Tx) error { return fn(txn{tx, s.d.DB}) })
}

func (t txn) exec(query string, args ...any) (int64, error) {
	res, err := t.db.Exec(t.tx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("keep schedule: %w", err)
	}
	return res.RowsAffected()
}

// receipt puts on record what became of a schedule.
func (s *Schedules) receipt(t txn, kind, runID string, body map[string]any) error {
	if _, err := s.d.Receipts.Append(t.tx, receipt.Entry{Type: kind, RunID: runID, Body: body}); err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}
