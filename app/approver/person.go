package approver

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
)

// Person is whose a key is.
type Person struct {
	UserID string
	Name   string
	Rights account.Rights // what they may do now; of somebody who was removed, nothing
}

// Outlived says whether a key gives more than its person may: the owner should have the server refuse it.
func (p Person) Outlived(h wire.Holder) bool {
	return !p.Rights.May(account.Approve) || h == wire.HolderPerson && p.Rights.Role != account.Owner
}

// People says whose the keys of a customer's server are, by key, as far as it is known.
func (s *Service) People(ctx context.Context, of account.CustomerID) (map[string]Person, error) {
	return s.Requests.People(ctx, of)
}

// EnrolFor is Enrol of a key that belongs to a person of the business.
func (s *Service) EnrolFor(ctx context.Context, of account.CustomerID, userID string, e wire.Enrolment) (wire.Enrolled, error) {
	if _, err := wire.ParseApproverKey(e.Kind, e.SPKI); err == nil && e.Holder == wire.HolderPerson { // else the server says what is wrong
		ring, err := s.Store.Of(ctx, of)
		if err != nil {
			return wire.Enrolled{}, err
		}
		if err := s.Requests.Belongs(ctx, ring.ServerID, wire.ApproverKeyIDOf(e.SPKI), userID); err != nil {
			return wire.Enrolled{}, err
		}
	}
	return s.Enrol(ctx, of, e)
}

// Outlived lists the keys of a ring that give more than their people may now.
func Outlived(ring Ring, people map[string]Person) []wire.ApproverKey {
	var out []wire.ApproverKey
	for _, k := range ring.Keys {
		if p, known := people[k.KeyID]; known && p.Outlived(k.Holder) {
			out = append(out, k)
		}
	}
	return out
}
