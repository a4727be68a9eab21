package order

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// EndReason says why an order ended after its server worked.
type EndReason string

// The reasons.
const (
	Closed   EndReason = "closed"   // the customer left
	Refunded EndReason = "refunded" // the customer got the money back
	Unpaid   EndReason = "unpaid"   // the customer did not pay for long
	Replaced EndReason = "replaced" // another server took the place of this one
)

// EndReasons lists those that our staff choose from.
func EndReasons() []EndReason { return []EndReason{Closed, Refunded, Unpaid} }

// grace is how long the server of an ended order is kept. Who leaves needs time to fetch what is theirs, and who does not pay may
// be ill or away: a month, as long as a period that is paid for. Who got the money back asked for that today and may have
// pressed the wrong thing: a week.
var grace = map[EndReason]time.Duration{Closed: 30 * day, Refunded: 7 * day, Unpaid: 30 * day}

const day = 24 * time.Hour

// Standing says what an order is among those of its customer.
type Standing string

// The standings.
const (
	Main   Standing = ""       // the one that counts
	Next   Standing = "next"   // its server is to replace that of the main one
	Former Standing = "former" // its server was replaced
)

// Stop ends the set-up of an order's server after the step that runs. What was made is given back, then the order is cancelled.
func (s *Service) Stop(ctx context.Context, of account.CustomerID, id ID, by audit.Actor) (Order, error) {
	if err := s.confirm(ctx, of, id, "stop", by); err != nil {
		return Order{}, err
	}
	return s.act(ctx, of, id, by, "order.stop", func(o *Order, now time.Time) (Change, error) {
		if !o.Can("stop") {
			return Change{}, ErrStop
		}
		return o.stop(now, by), nil
	})
}

// CallOff cancels an order or, when its server is being set up already, stops that: what a customer does.
func (s *Service) CallOff(ctx context.Context, of account.CustomerID, id ID, by audit.Actor) (Order, error) {
	return s.act(ctx, of, id, by, "order.call_off", func(o *Order, now time.Time) (Change, error) {
		switch {
		case o.Can("cancel"):
			return o.cancel(now, by), nil
		case o.Can("stop"):
			return o.stop(now, by), nil
		}
		return Change{}, ErrCancel
	})
}

func (o *Order) stop(now time.Time, by audit.Actor) Change {
	o.State, o.FailedStep, o.Reason = Stopping, "", ""
	o.Attempt++
	text := "The set-up ends after the step that runs now. What was made for the order is given back."
	return Change{Events: []Event{o.event(now, by.Name, text)}, Work: append(o.step(), o.giveBack()...)}
}

func (o *Order) cancel(now time.Time, by audit.Actor) Change {
	o.State, o.FailedStep, o.Reason = Cancelled, "", ""
	text := "Cancelled. Nothing was charged."
	if o.RealMoney() {
		text = "Cancelled. What was paid goes back."
	}
	clear := work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt} // what was made for it
	return Change{Events: []Event{o.event(now, by.Name, text)}, Work: append([]work.Item{clear}, o.giveBack()...)}
}

// Rests says whether the team of the order makes no calls to models any more, because the order has ended.
func (o Order) Rests() bool { return !o.EndedAt.IsZero() }

// ErrRests refuses what needs the team of a customer whose plan has ended then.
func ErrRests(since time.Time) error {
	return fault.New(fault.Conflict, "plan-ended", "order has ended",
		"Your plan has ended on "+since.UTC().Format(time.DateOnly)+", so your team rests. Your message was not sent. "+
			"Under Billing you find until when your server is kept, how to load an export, and how to go on.")
}

// Grace is how long the server of an order is kept that ends for this reason.
func (s *Service) Grace(why EndReason) time.Duration { return s.grace(why) }

// End ends an order whose server works: staff only. The team rests from then on. The server is kept for its grace, and until then the
// order can be kept. The customer is told by mail.
func (s *Service) End(ctx context.Context, of account.CustomerID, id ID, why EndReason, by audit.Actor) (Order, error) {
	if _, err := s.Store.NextOf(ctx, of); err == nil {
		return Order{}, ErrReplacing
	}
	if _, known := grace[why]; !known {
		return Order{}, ErrReason
	}
	if err := s.confirm(ctx, of, id, "end", by); err != nil {
		return Order{}, err
	}
	return s.act(ctx, of, id, by, "order.end", func(o *Order, now time.Time) (Change, error) {
		if !o.Can("end") {
			return Change{}, ErrEnd
		}
		o.State, o.EndReason, o.EndedAt, o.ReleaseAt = Ended, why, now, now.Add(s.grace(why))
		o.Attempt++
		return Change{
			Events: []Event{o.event(now, by.Name, endText[why])},
			Work: []work.Item{
				work.SendMail{Template: LetterEnded, UserID: string(o.OrderedBy), Ref: o.ref()},
				work.RefreshTeam{CustomerID: string(o.CustomerID)}, // it rests
			},
		}, nil
	})
}

// endText is what stands in the history for each reason.
var endText = map[EndReason]string{
	Closed:   "Ended because the customer left. The team rests. The server is kept until it is released.",
	Refunded: "Ended because the payment was refunded. The team rests. The server is kept until it is released.",
	Unpaid:   "Ended because it was not paid for long. The team rests. The server is kept until it is released.",
}

// Keep takes the end of an order back while its server is there. A customer may do so who left; the rest our staff decide.
func (s *Service) Keep(ctx context.Context, of account.CustomerID, id ID, by audit.Actor) (Order, error) {
	if by.Kind == audit.User {
		if err := s.mayKeep(ctx, of); err != nil {
			return Order{}, err
		}
	}
	return s.act(ctx, of, id, by, "order.keep", func(o *Order, now time.Time) (Change, error) {
		if !o.Can("keep") || by.Kind == audit.User && !o.Keepable() {
			return Change{}, ErrKeep
		}
		o.State, o.EndReason, o.EndedAt, o.ReleaseAt = Fulfilled, "", time.Time{}, time.Time{}
		o.Attempt++
		return Change{
			Events: []Event{o.event(now, by.Name, "The end was taken back. The server stays.")},
			Work:   []work.Item{work.RefreshTeam{CustomerID: string(o.CustomerID)}}, // it works again
		}, nil
	})
}

// Keepable says whether the customer may take the end of the order back.
func (o Order) Keepable() bool { return o.Can("keep") && o.EndReason == Closed }

func (s *Service) mayKeep(ctx context.Context, of account.CustomerID) error {
	if s.MayKeep == nil {
		return nil
	}
	return s.MayKeep(ctx, of)
}

// Owes says whether a customer could take the end of the order back, and something that they can settle stands in the way.
func (s *Service) Owes(ctx context.Context, o Order) (bool, error) {
	if !o.Keepable() {
		return false, nil
	}
	err := s.mayKeep(ctx, o.CustomerID)
	if err != nil && fault.Of(err).Kind == fault.Conflict {
		return true, nil
	}
	return false, err
}

// ReleaseDue begins to give back the servers of ended orders whose grace is over. It says how many.
func (s *Service) ReleaseDue(ctx context.Context) (done int, err error) {
	due, err := s.Store.Due(ctx, s.Now().UTC())
	if err != nil {
		return 0, fmt.Errorf("orders whose grace is over: %w", err)
	}
	var errs []error
	for _, o := range due {
		_, err := s.change(ctx, o, func(o *Order, now time.Time) (Change, error) {
			if o.State != Ended || now.Before(o.ReleaseAt) {
				return Change{}, ErrStale // it was kept meanwhile
			}
			return o.release(now), nil
		})
		switch {
		case err == nil:
			done++
		case !errors.Is(err, ErrStale):
			errs = append(errs, fmt.Errorf("release server of order %s: %w", o.ID, err))
		}
	}
	return done, errors.Join(errs...)
}

func (o *Order) release(now time.Time) Change {
	o.State = Releasing
	o.Attempt++
	return Change{Events: []Event{o.event(now, audit.Itself.Name, "The server is being released.")}, Work: o.step()}
}

// Replace orders another server for a customer whose server works: staff only. When the new one works it takes the place of the
// present one, which is then released. Until then nothing changes for the customer.
func (s *Service) Replace(ctx context.Context, of account.CustomerID, id ID, provider string, by audit.Actor) (Order, error) {
	if err := staff.Require(by, staff.OrdersAct); err != nil {
		return Order{}, err
	}
	if err := s.place(provider); err != nil {
		return Order{}, err
	}
	if _, err := s.Store.NextOf(ctx, of); err == nil {
		return Order{}, ErrReplacing
	}
	if err := s.confirm(ctx, of, id, "replace", by); err != nil {
		return Order{}, err
	}
	customer, err := s.Accounts.Customer(ctx, of)
	if err != nil {
		return Order{}, fmt.Errorf("replace server: %w", err)
	}
	keyed, err := s.KeyListed(ctx, id)
	if err != nil {
		return Order{}, err
	}
	now := s.Now().UTC()
	placed, err := s.Store.Replace(ctx, of, id, func(was *Order) (New, error) {
		if !was.Can("replace") {
			return New{}, ErrReplace
		}
		ids := [2]uuid.UUID{}
		for i := range ids {
			if ids[i], err = uuid.NewV7(); err != nil {
				return New{}, fmt.Errorf("replace server: %w", err)
			}
		}
		o := *was
		o.ID, o.Number, o.Standing, o.Replaces, o.Provider = ID(ids[0].String()), 0, Next, was.ID, provider
		o.Slug, o.Mode, o.State, o.Attempt, o.ServerID = slug(customer.Name), Auto, PaymentConfirmed, 0, ""
		o.CreatedAt, o.UpdatedAt, o.FulfilledAt = now, now, time.Time{}
		if !keyed {
			o.ApproverKey, o.Passkey, o.ApproverBox = "", "", ""
		}
		return New{Order: o, Change: Change{
			Events: []Event{o.event(now, by.Name, fmt.Sprintf("Ordered to replace the server of order %d.", was.Number))},
			Work:   o.step(),
			Audit: &audit.Entry{
				ID: ids[1].String(), At: now, By: by, CustomerID: string(of), Action: "order.replace", Target: string(id),
				Details: map[string]string{"by": string(o.ID)},
			},
		}}, nil
	})
	if err != nil {
		return Order{}, err
	}
	s.Notify.OrderChanged(ctx, of, placed.ID)
	return placed, nil
}

// KeyListed says whether the server of an order still lists the key that came with the order. One that was revoked there, or
// that the server never took, is no first key of a server that replaces it.
func (s *Service) KeyListed(ctx context.Context, id ID) (bool, error) {
	return s.Store.KeyListed(ctx, id)
}

// takeOver is what becomes of the order that o replaces, one change after the other, once the server of o works.
func (o Order) takeOver(now time.Time) []func(was *Order) Change {
	end := func(was *Order) Change {
		was.State, was.Standing, was.EndReason, was.EndedAt, was.ReleaseAt, was.UpdatedAt = Ended, Former, Replaced, now, now, now
		return Change{
			Events: []Event{was.event(now, audit.Itself.Name, fmt.Sprintf("The server of order %d has taken its place.", o.Number))},
		}
	}
	return []func(*Order) Change{end, func(was *Order) Change { return was.release(now) }}
}
