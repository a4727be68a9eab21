package staff

import (
	"context"
	"slices"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
)

// TokenLives are how long an access key of our staff may work, in days.
func TokenLives() []int { return []int{30, 90, 365} }

// errNoToken refuses to end what is not there, or is not for whoever asks to see.
var errNoToken = fault.New(fault.NotFound, "no-token", "no such token of staff",
	"This access key is not there any more. Nothing was changed.")

// Keys gives out and ends tokens; account.Tokens does.
type Keys interface {
	OfStaff(ctx context.Context, staffID string) ([]account.StaffToken, error)
	IssueToStaff(ctx context.Context, staffID, name string, life time.Duration, by audit.Actor) (string, account.Token, error)
	RevokeOfStaff(ctx context.Context, t account.StaffToken, by audit.Actor) error
}

// Tokens are the access keys of our staff: each has their own, and those who manage staff end everybody's.
type Tokens struct{ Keys Keys }

// Of gives the keys that by may see, newest first: their own, and with others also those of other staff.
func (s *Tokens) Of(ctx context.Context, by audit.Actor) (own, others []account.StaffToken, err error) {
	of := by.ID
	if Role(by.Role).May(StaffManage) {
		of = ""
	}
	all, err := s.Keys.OfStaff(ctx, of)
	for _, t := range all {
		if t.StaffID == by.ID {
			own = append(own, t)
		} else {
			others = append(others, t)
		}
	}
	return own, others, err
}

// Issue makes a key for whoever asks. Its secret exists only in the answer.
func (s *Tokens) Issue(ctx context.Context, name string, days int, by audit.Actor) (string, error) {
	if !slices.Contains(TokenLives(), days) {
		return "", fault.Bad(map[string]string{"life": "Choose 30, 90 or 365 days."})
	}
	secret, _, err := s.Keys.IssueToStaff(ctx, by.ID, name, time.Duration(days)*24*time.Hour, by)
	return secret, err
}

// Revoke ends a key: one's own, or one of somebody whose account by manages. It says whose it was.
func (s *Tokens) Revoke(ctx context.Context, id string, by audit.Actor) (account.StaffToken, error) {
	own, others, err := s.Of(ctx, by)
	if err != nil {
		return account.StaffToken{}, err
	}
	all := append(own, others...)
	i := slices.IndexFunc(all, func(t account.StaffToken) bool { return t.ID == id })
	if i < 0 {
		return account.StaffToken{}, errNoToken
	}
	t := all[i]
	if !Ends(t, by) {
		return t, errOwners
	}
	return t, s.Keys.RevokeOfStaff(ctx, t, by)
}

// Ends says whether by may end a key.
func Ends(t account.StaffToken, by audit.Actor) bool {
	return t.StaffID == by.ID || Role(by.Role).Manages(Role(t.Role))
}
