package account

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/work"
)

// Refusals of changes among the people of a business.
var (
	ErrLastOwner = fault.New(fault.Conflict, "last-owner", "business would have no owner",
		"A business needs at least one owner. Nothing was changed. Make someone else an owner first.")
	errNobody = fault.New(fault.NotFound, "no-such-person", "no such person in the business",
		"This person does not belong to your business, or was removed meanwhile. Nothing was changed.")
)

// Person is a person of a business as the page of people shows them.
type Person struct {
	User
	Seen time.Time // when they did something last; zero: nothing is known
}

// PersonChange is what becomes of one person.
type PersonChange struct {
	User    User // as they are from now on
	Removed bool // they no longer belong to the business
	Entry   audit.Entry
	Work    []work.Item
}

// People lists the people of a business, oldest first, and when each did something last.
func (s *Service) People(ctx context.Context, of CustomerID) ([]Person, error) {
	return s.Store.People(ctx, of)
}

// SetRights says what a person may do from now on, and whether they are an owner.
func (s *Service) SetRights(ctx context.Context, of CustomerID, id UserID, r Rights, by audit.Actor) (User, error) {
	if r.Role != Owner && r.Role != Member {
		return User{}, fault.Bad(map[string]string{"role": "Choose owner or member."})
	}
	if r.Role == Owner {
		r.Chat, r.Approve = false, false // owners may, whatever stands there
	}
	return s.change(ctx, of, id, by, func(u *User, people []User) (audit.Entry, error) {
		if u.Role == Owner && r.Role != Owner && owners(people) == 1 {
			return audit.Entry{}, ErrLastOwner
		}
		u.Role, u.Chat, u.Approve = r.Role, r.Chat, r.Approve
		e, err := entry(s.Now().UTC(), by, of, "people.rights", string(id))
		e.Details = r.details()
		return e, err
	})
}

// Remove takes a person out of the business; a person who removes themselves leaves. Their sign-ins and API tokens end with it.
func (s *Service) Remove(ctx context.Context, of CustomerID, id UserID, by audit.Actor) (User, error) {
	action := "people.remove"
	if by.ID == string(id) {
		action = "people.leave"
	}
	var removed User
	err := s.Store.ChangePerson(ctx, of, func(people []User) (PersonChange, error) {
		u, err := changed(people, id, by, true)
		if err != nil {
			return PersonChange{}, err
		}
		if u.Role == Owner && owners(people) == 1 {
			return PersonChange{}, ErrLastOwner
		}
		removed = *u
		e, err := entry(s.Now().UTC(), by, of, action, string(id))
		e.Details = map[string]string{"email": u.Email}
		follow := work.RefreshTeam{CustomerID: string(of), UserID: by.ID}
		return PersonChange{User: *u, Removed: true, Entry: e, Work: []work.Item{follow}}, err
	})
	if err != nil {
		return User{}, fmt.Errorf("%s: %w", action, err)
	}
	return removed, nil
}

// change applies a rule to one person and stores the outcome, unless nothing changes.
func (s *Service) change(
	ctx context.Context, of CustomerID, id UserID, by audit.Actor, rule func(*User, []User) (audit.Entry, error),
) (User, error) {
	var after User
	err := s.Store.ChangePerson(ctx, of, func(people []User) (PersonChange, error) {
		u, err := changed(people, id, by, false)
		if err != nil {
			return PersonChange{}, err
		}
		after = *u
		e, err := rule(&after, people)
		return PersonChange{User: after, Entry: e}, err
	})
	if err != nil {
		return User{}, fmt.Errorf("change person: %w", err)
	}
	return after, nil
}

// changed finds the person who is to be changed, and refuses whoever may not: owners change everyone, others only themselves,
// and that only to leave. It looks under the lock, for an owner may have been made a member a moment ago.
func changed(people []User, id UserID, by audit.Actor, leaves bool) (*User, error) {
	u, who := find(people, id), find(people, UserID(by.ID))
	mine := leaves && by.ID == string(id)
	switch {
	case who == nil || who.Role != Owner && !mine:
		return nil, Refused(Manage)
	case u == nil:
		return nil, errNobody
	}
	return u, nil
}

func find(people []User, id UserID) *User {
	for i := range people {
		if people[i].ID == id {
			return &people[i]
		}
	}
	return nil
}

func owners(people []User) int {
	n := 0
	for _, u := range people {
		if u.Role == Owner {
			n++
		}
	}
	return n
}

// details are the rights as the record keeps them.
func (r Rights) details() map[string]string {
	return map[string]string{"role": string(r.Role), "chat": strconv.FormatBool(r.May(Chat)), "approve": strconv.FormatBool(r.May(Approve))}
}
