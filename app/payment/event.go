package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// What becomes of an event.
const (
	outcomeDone    = "done"
	outcomeIgnored = "ignored"  // of a kind that means nothing to us
	outcomeForeign = "not ours" // about something that was not made for us
)

// errParked says that an event is about a payment that we should know and do not, yet.
var errParked = errors.New("event about a payment that is not here")

// Take keeps an event that was sent to us, if the provider sent it. Once it returns nil, the event is dealt with sooner or later,
// and its repeats change nothing.
func (s *Service) Take(ctx context.Context, body []byte, signature string) error {
	now := s.Now().UTC()
	e, err := s.Provider.Verify(body, signature, now)
	if err != nil {
		return err
	}
	if _, err := s.Store.Keep(ctx, e, now); err != nil {
		return fmt.Errorf("keep event %s: %w", e.ID, err)
	}
	return nil
}

// ReadEvent deals with an event that is kept: the event says only where to look.
func (s *Service) ReadEvent(ctx context.Context, id string) error {
	e, err := s.Store.Event(ctx, id)
	if err != nil || !e.DoneAt.IsZero() {
		return err
	}
	outcome, err := s.follow(ctx, e)
	if err != nil {
		return fmt.Errorf("event %s (%s): %w", e.ID, e.Kind, err)
	}
	return s.Store.Done(ctx, e.ID, outcome, s.Now().UTC())
}

func (s *Service) follow(ctx context.Context, e Event) (string, error) {
	switch e.Object {
	case "checkout.session":
		return s.followPage(ctx, e.Of)
	case "refund":
		outcome, err := s.followIntent(ctx, e.Intent)
		if err != nil || outcome != outcomeDone {
			return outcome, err
		}
		return outcome, s.seeRefunds(ctx, e.Intent)
	case "payment_intent", "charge":
		return s.followIntent(ctx, e.Intent)
	case "dispute":
		return s.followDispute(ctx, e.Of)
	case "payment_method", "customer", "setup_intent":
		if e.Payer == "" {
			return outcomeIgnored, nil
		}
		return outcomeDone, s.SeeMethod(ctx, e.Payer)
	}
	return outcomeIgnored, nil
}

// followPage looks at the payment of a page. One that we have not noted, because somebody was killed, says itself whose it is.
func (s *Service) followPage(ctx context.Context, id string) (string, error) {
	p, err := s.Store.By(ctx, id, "")
	if err == nil {
		_, err = s.LookAt(ctx, p.ID)
		return outcomeDone, err
	}
	if fault.Of(err).Kind != fault.NotFound {
		return "", err
	}
	page, err := s.Provider.Page(ctx, id)
	if err != nil {
		return "", err
	}
	if page.Ours == "" {
		return outcomeForeign, nil
	}
	if err := s.adopt(ctx, page.Ours, func(p *Payment) { p.Page = page.ID }); err != nil {
		return "", err
	}
	_, err = s.LookAt(ctx, page.Ours)
	return outcomeDone, err
}

// followIntent likewise looks at a payment.
func (s *Service) followIntent(ctx context.Context, intent string) (string, error) {
	if intent == "" {
		return outcomeForeign, nil
	}
	p, err := s.Store.By(ctx, "", intent)
	if err == nil {
		_, err = s.LookAt(ctx, p.ID)
		return outcomeDone, err
	}
	if fault.Of(err).Kind != fault.NotFound {
		return "", err
	}
	seen, err := s.Provider.Look(ctx, intent)
	if err != nil {
		return "", err
	}
	if seen.Ours == "" {
		return outcomeForeign, nil
	}
	if err := s.adopt(ctx, seen.Ours, func(p *Payment) { p.Intent = intent }); err != nil {
		return "", err
	}
	_, err = s.LookAt(ctx, seen.Ours)
	return outcomeDone, err
}

// adopt notes what the provider made for a payment of ours.
func (s *Service) adopt(ctx context.Context, id ID, note func(*Payment)) error {
	err := s.Store.Change(ctx, id, func(_ context.Context, p *Payment, _ *Checkout) (Change, error) {
		note(p)
		return Change{}, nil
	})
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return fmt.Errorf("%w: %s", errParked, id)
	}
	return err
}

func (s *Service) followDispute(ctx context.Context, id string) (string, error) {
	seen, err := s.Provider.Dispute(ctx, id)
	if err != nil {
		return "", err
	}
	p, err := s.Store.By(ctx, "", seen.Intent)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return outcomeForeign, nil
	}
	if err != nil {
		return "", err
	}
	d := seen.Dispute
	d.PaymentID, d.SeenAt = p.ID, s.Now().UTC()
	if err := s.disputed(ctx, d, p); err != nil {
		return "", err
	}
	_, err = s.LookAt(ctx, p.ID)
	return outcomeDone, err
}

// disputed keeps how a dispute stands. Our staff are told when it opens and when it is lost. The team goes on until then: a bank that
// asks is no bank that has decided.
func (s *Service) disputed(ctx context.Context, d Dispute, p Payment) error {
	fresh, err := s.Store.SaveDispute(ctx, d)
	if err != nil {
		return err
	}
	if fresh {
		if err := s.tellStaff(ctx, "dispute", p.CustomerID); err != nil {
			return err
		}
	}
	if !d.Lost() {
		return nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("dispute: %w", err)
	}
	now, told := s.Now().UTC(), false
	begun := Dunning{ID: id.String(), CustomerID: p.CustomerID, PaymentID: p.ID, State: Paused, Since: now, PausedAt: now}
	err = s.Store.ChangeDunning(ctx, begun, func(was *Dunning) (string, error) {
		if told = was.ID == begun.ID; told {
			return LetterPaused, nil
		}
		return "", nil
	})
	if err != nil || !told {
		return err
	}
	return s.tellStaff(ctx, "lost", p.CustomerID)
}

// tellStaff mails those of our staff who deal with payments.
func (s *Service) tellStaff(ctx context.Context, why string, of account.CustomerID) error {
	var roles []string
	for _, r := range staff.With(staff.BillingManage) {
		roles = append(roles, string(r))
	}
	return s.Store.TellStaff(ctx, roles, LetterHelp, why+"."+string(of)+"."+s.Now().UTC().Format(time.DateOnly))
}

// SeeMethod keeps the means of payment that a payer has on file now.
func (s *Service) SeeMethod(ctx context.Context, payer string) error {
	m, err := s.Provider.Method(ctx, payer)
	if err != nil {
		return fmt.Errorf("means of payment: %w", err)
	}
	now := s.Now().UTC()
	if err := s.Store.SetMethod(ctx, payer, m, now); err != nil || m.ID == "" {
		return err
	}
	return s.Store.TryNow(ctx, payer, now)
}

// The provider keeps events for 30 days. How far all of them were fetched is kept, and moves only when every one of them is: neither an
// event that was sent to us meanwhile nor a list that broke off moves it. Those of the hour before are asked for again: they need not come
// in order.
const (
	eventsKept    = 29 * 24 * time.Hour
	eventsOverlap = time.Hour
	missedEvery   = 10 // minutes of the clock: each answer may be long
)

// CatchUp asks for the events that were never sent to us, as after days without a way in. It says how many there were. Called every
// minute, it asks every tenth.
func (s *Service) CatchUp(ctx context.Context) (int, error) {
	now := s.Now().UTC()
	if !s.On() || now.Minute()%missedEvery != 0 {
		return 0, nil
	}
	since, err := s.Store.CaughtUp(ctx)
	if err != nil {
		return 0, fmt.Errorf("catch up: %w", err)
	}
	since = since.Add(-eventsOverlap)
	if oldest := now.Add(-eventsKept); since.Before(oldest) {
		since = oldest
	}
	all, err := s.Provider.Events(ctx, since)
	if err != nil {
		return 0, fmt.Errorf("catch up: %w", err)
	}
	n := 0
	for _, e := range all {
		fresh, err := s.Store.Keep(ctx, e, now)
		if err != nil {
			return n, fmt.Errorf("catch up: %w", err)
		}
		if fresh {
			n++
		}
	}
	if err := s.Store.CatchUpTo(ctx, now); err != nil {
		return n, fmt.Errorf("catch up: %w", err)
	}
	return n, nil
}
