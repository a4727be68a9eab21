package account

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/second"
	"gatehouse/app/work"
)

// Second is the second step of a person's sign-in. It counts from ProvenAt on.
type Second struct {
	Factor   second.Factor
	Backup   []string  // hashes of the backup codes that are left
	ProvenAt time.Time // zero until a code has shown that the app knows the secret
}

// On says whether the step is asked for.
func (s Second) On() bool { return !s.ProvenAt.IsZero() }

// SecondChange is what follows from a change of a second step.
type SecondChange struct {
	Remove bool
	Record audit.Entry // empty: the change needs no record
	Follow []work.Item
}

// SecondStore is what Seconds needs; db.Seconds has it. It keeps the secret sealed.
type SecondStore interface {
	// Second reads a person's second step; one that there is not is empty.
	Second(ctx context.Context, of CustomerID, id UserID) (Second, error)
	// Begin keeps a new one that is not proven yet, in place of another such. One that counts already stays: ErrSecondOn.
	Begin(ctx context.Context, of CustomerID, id UserID, f second.Factor, now time.Time) error
	// Change locks a person's second step and runs fn on it. What fn counted is kept in any case, what else it did only when
	// it returned no error. ErrSecondOff says that there is none.
	Change(ctx context.Context, of CustomerID, id UserID, fn func(*Second) (SecondChange, error)) error
}

// Letters about the second step.
const (
	TellSecondOn  = "second_on"
	TellSecondOff = "second_off"
)

// Refusals of changes.
var (
	ErrSecondOn = fault.New(fault.Conflict, "second-on", "second step is on already",
		"The code at sign-in is switched on already. Nothing was changed.")
	ErrSecondOff = fault.New(fault.Conflict, "second-off", "second step is off",
		"The code at sign-in is switched off. Nothing was changed.")
)

// Seconds are the second steps of people of customers.
type Seconds struct {
	Store SecondStore
	Now   func() time.Time
}

// Of reads a person's second step.
func (s *Seconds) Of(ctx context.Context, of CustomerID, id UserID) (Second, error) {
	return s.Store.Second(ctx, of, id)
}

// Begin makes a secret for the person's app. It counts for nothing until Confirm.
func (s *Seconds) Begin(ctx context.Context, of CustomerID, id UserID, email string) error {
	f, err := second.New(email)
	if err != nil {
		return err
	}
	return s.Store.Begin(ctx, of, id, f, s.Now().UTC())
}

// Confirm switches the second step on, once a code has shown that the app knows the secret. The backup codes exist only in
// the answer.
func (s *Seconds) Confirm(ctx context.Context, of CustomerID, id UserID, code string, by audit.Actor) (codes []string, err error) {
	err = s.Store.Change(ctx, of, id, func(now *Second) (SecondChange, error) {
		if now.On() {
			return SecondChange{}, ErrSecondOn
		}
		if err := now.Factor.Check(code, s.Now()); err != nil {
			return SecondChange{}, err
		}
		now.ProvenAt = s.Now().UTC()
		codes, now.Backup = second.NewBackup(string(id))
		return s.change(of, id, by, "second.on", TellSecondOn)
	})
	return codes, err
}

// Check takes the code of the app, or a backup code, which is used up. It says how many backup codes are left, and whether
// one was used.
func (s *Seconds) Check(ctx context.Context, of CustomerID, id UserID, code string) (left int, backup bool, err error) {
	backup = second.IsBackup(code)
	err = s.Store.Change(ctx, of, id, func(now *Second) (c SecondChange, err error) {
		switch {
		case !now.On():
			return c, ErrSecondOff
		case backup:
			now.Backup, err = now.Factor.CheckBackup(string(id), code, now.Backup, s.Now())
		default:
			err = now.Factor.Check(code, s.Now())
		}
		left = len(now.Backup)
		return c, err
	})
	return left, backup, err
}

// Renew makes a new set of backup codes; the old ones open nothing more.
func (s *Seconds) Renew(ctx context.Context, of CustomerID, id UserID, by audit.Actor) (codes []string, err error) {
	err = s.Store.Change(ctx, of, id, func(now *Second) (SecondChange, error) {
		if !now.On() {
			return SecondChange{}, ErrSecondOff
		}
		codes, now.Backup = second.NewBackup(string(id))
		return s.change(of, id, by, "second.backup", "")
	})
	return codes, err
}

// Off switches the second step off and forgets it.
func (s *Seconds) Off(ctx context.Context, of CustomerID, id UserID, by audit.Actor) error {
	return s.Store.Change(ctx, of, id, func(now *Second) (SecondChange, error) {
		if !now.On() {
			return SecondChange{Remove: true}, nil // one that was begun: nobody was told of it
		}
		c, err := s.change(of, id, by, "second.off", TellSecondOff)
		c.Remove = true
		return c, err
	})
}

// change is the record of a change, and the letter about it.
func (s *Seconds) change(of CustomerID, id UserID, by audit.Actor, action, letter string) (SecondChange, error) {
	e, err := entry(s.Now().UTC(), by, of, action, string(id))
	if err != nil {
		return SecondChange{}, fmt.Errorf("%s: %w", action, err)
	}
	c := SecondChange{Record: e}
	if letter != "" {
		c.Follow = []work.Item{work.SendMail{Template: letter, UserID: string(id), Ref: e.ID}}
	}
	return c, nil
}
