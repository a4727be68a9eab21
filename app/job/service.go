package job

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/staff"
)

// Act is what one of us does about a job.
type Act string

// The acts on a job.
const (
	Retry  Act = "retry"
	Cancel Act = "cancel"
)

// Refusals.
var (
	ErrAct     = fault.New(fault.Invalid, "act", "unknown act on a job", "You cannot do that with a job. Nothing was changed.")
	ErrNoRetry = fault.New(fault.Conflict, "job-no-retry", "job cannot be retried",
		"This job runs, waits for a free worker, or is done. Nothing was changed.")
	ErrNoCancel = fault.New(fault.Conflict, "job-no-cancel", "job cannot be canceled",
		"This job has ended or is being stopped already. Nothing was changed.")
	ErrTwice = fault.New(fault.Conflict, "job-twice", "the same job is queued", "The same work is queued already. Nothing was changed.")
	ErrNoJob = fault.New(fault.NotFound, "no-job", "no such job",
		"This job is not there any more. Jobs that are done are removed after a day.")
	ErrNoQueue = fault.New(fault.NotFound, "no-queue", "no such queue", "There is no such queue. Nothing was changed.")
)

// Store is what Service needs; db.RiverJobs has it.
type Store interface {
	Board(ctx context.Context) (Board, error)
	// List gives the jobs that f leaves, the newest first.
	List(ctx context.Context, f Filter, ask Ask) (page.Of[Job], error)
	// Act locks a job, has may judge it, does it and records e, which may fills in: all or nothing. It returns the job as it
	// is then. One that is not there is ErrNoJob.
	Act(ctx context.Context, id int64, act Act, e *audit.Entry, may func(Job) error) (Job, error)
	// Pause stops or resumes a queue and records e. One that is not there is ErrNoQueue.
	Pause(ctx context.Context, queue string, paused bool, e audit.Entry) error
}

// Service is what our staff do with background work.
type Service struct {
	Store Store
	Now   func() time.Time
}

// Board gives all queues.
func (s *Service) Board(ctx context.Context) (Board, error) { return s.Store.Board(ctx) }

// List gives the jobs that f leaves, the newest first.
func (s *Service) List(ctx context.Context, f Filter, ask Ask) (page.Of[Job], error) {
	if err := f.Clean(); err != nil {
		return page.Of[Job]{}, err
	}
	return s.Store.List(ctx, f, ask)
}

// Act retries or cancels a job, and returns it as it is then.
func (s *Service) Act(ctx context.Context, id int64, act Act, by audit.Actor) (Job, error) {
	if act != Retry && act != Cancel {
		return Job{}, ErrAct
	}
	e, err := s.entry(by, "job."+string(act), strconv.FormatInt(id, 10))
	if err != nil {
		return Job{}, err
	}
	return s.Store.Act(ctx, id, act, &e, func(j Job) error {
		e.Details = map[string]string{"kind": j.Kind, "queue": j.Queue, "state": string(j.State)}
		switch {
		case act == Retry && !j.CanRetry():
			return ErrNoRetry
		case act == Cancel && !j.CanCancel():
			return ErrNoCancel
		}
		return nil
	})
}

// Pause stops a queue, so that nothing in it is begun, or lets it go on.
func (s *Service) Pause(ctx context.Context, queue string, paused bool, by audit.Actor) error {
	action := "queue.resume"
	if paused {
		action = "queue.pause"
	}
	e, err := s.entry(by, action, queue)
	if err != nil {
		return err
	}
	return s.Store.Pause(ctx, queue, paused, e)
}

func (s *Service) entry(by audit.Actor, action, target string) (audit.Entry, error) {
	if err := staff.Require(by, staff.JobsManage); err != nil {
		return audit.Entry{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return audit.Entry{}, fmt.Errorf("%s: %w", action, err)
	}
	return audit.Entry{ID: id.String(), At: s.Now().UTC(), By: by, Action: action, Target: target}, nil
}
