package order

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/work"
)

func (o Order) event(now time.Time, by, text string) Event {
	return Event{OrderID: o.ID, At: now, Kind: EventState, State: o.State, Text: text, By: by}
}

// At finds the order that a job works on, or answers ErrStale when it has left that step and attempt.
func (s *Service) At(ctx context.Context, job work.AdvanceOrder) (Order, error) {
	o, err := s.Store.Find(ctx, ID(job.OrderID))
	if err != nil {
		return Order{}, fmt.Errorf("order of a job: %w", err)
	}
	return o, o.fence(job)
}

// fence keeps a worker that was overtaken from writing: only the step and attempt that it was started for count.
func (o Order) fence(job work.AdvanceOrder) error {
	if string(o.State) != job.Step || o.Attempt != job.Attempt {
		return fmt.Errorf("%w: at %s attempt %d, job for %s attempt %d", ErrStale, o.State, o.Attempt, job.Step, job.Attempt)
	}
	return nil
}

// Advance records that the work of a step is done: the next state, its event and its job in one transaction. serverID
// names the server when the step made one.
func (s *Service) Advance(ctx context.Context, job work.AdvanceOrder, text, serverID string) (Order, error) {
	return s.byJob(ctx, job, func(o *Order, now time.Time) (Change, error) {
		o.State = o.State.Next()
		if serverID != "" {
			o.ServerID = serverID
		}
		ch := Change{Events: []Event{o.event(now, audit.Itself.Name, text)}, Work: o.step()}
		if o.State == Fulfilled {
			o.FulfilledAt = now
			ch.Work = append(ch.Work, work.SendMail{Template: "welcome", UserID: string(o.OrderedBy), Ref: string(o.ID)},
				work.BeginMonth{CustomerID: string(o.CustomerID)})
		}
		if o.State == Fulfilled && o.Standing == Next {
			o.Standing, ch.Former = Main, o.takeOver(now)
			ch.Work = append(ch.Work, work.RefreshTeam{CustomerID: string(o.CustomerID), UserID: string(o.OrderedBy)})
		}
		return ch, nil
	})
}

// Fail records that a step failed for good, with its reason in words for people.
func (s *Service) Fail(ctx context.Context, job work.AdvanceOrder, reason string) (Order, error) {
	return s.byJob(ctx, job, func(o *Order, now time.Time) (Change, error) {
		o.FailedStep, o.Reason, o.State = o.State, reason, Failed
		return Change{Events: []Event{o.event(now, audit.Itself.Name, reason)}}, nil
	})
}

// TakeOver gives the step in which an order stands to another worker, after its own was not heard of for long. The worker that
// was overtaken can write nothing any more.
func (s *Service) TakeOver(ctx context.Context, id ID, text string) error {
	o, err := s.Store.Find(ctx, id)
	if err != nil {
		return fmt.Errorf("take order over: %w", err)
	}
	_, err = s.change(ctx, o, func(now *Order, at time.Time) (Change, error) {
		if now.State != o.State || now.Attempt != o.Attempt || !now.State.Live() {
			return Change{}, ErrStale
		}
		now.Attempt++
		again := work.AdvanceOrder{OrderID: string(id), Step: string(now.State), Attempt: now.Attempt}
		return Change{Events: []Event{now.event(at, audit.Itself.Name, text)}, Work: []work.Item{again}}, nil
	})
	return err
}

func (s *Service) byJob(ctx context.Context, job work.AdvanceOrder, fn func(*Order, time.Time) (Change, error)) (Order, error) {
	o, err := s.At(ctx, job)
	if err != nil {
		return o, err
	}
	return s.change(ctx, o, func(o *Order, now time.Time) (Change, error) {
		if err := o.fence(job); err != nil {
			return Change{}, err
		}
		return fn(o, now)
	})
}

func (s *Service) change(ctx context.Context, o Order, fn func(*Order, time.Time) (Change, error)) (Order, error) {
	changed, err := s.Store.Change(ctx, o.CustomerID, o.ID, func(o *Order) (Change, error) {
		now := s.Now().UTC()
		was, failed := o.State, o.FailedStep
		ch, err := fn(o, now)
		if err != nil {
			return Change{}, err
		}
		if o.State != was && !Legal(was, failed, o.State) {
			return Change{}, fmt.Errorf("order %s: %s to %s is not legal", o.ID, was, o.State)
		}
		o.UpdatedAt = now
		return ch, nil
	})
	if err != nil {
		return Order{}, err
	}
	s.Notify.OrderChanged(ctx, changed.CustomerID, changed.ID)
	return changed, nil
}

// Reason is what people are told of a failed step: the words of a FinalError, those of who did not answer, or a sentence without the
// cause.
func Reason(err error) string {
	var f *FinalError
	if errors.As(err, &f) {
		return f.Reason
	}
	var away interface{ Excuse() string }
	if errors.As(err, &away) {
		return away.Excuse()
	}
	return "This step did not work after four tries. The log below says how far it came; nothing was lost."
}
