package staff

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/second"
)

// NewMember is what is needed to add somebody.
type NewMember struct {
	Email    string
	Name     string // empty: the address
	Role     Role
	Password string
}

// Create adds somebody to the staff. The second factor is shown once: its secret exists nowhere in the clear afterwards.
func (s *Service) Create(ctx context.Context, in NewMember, by audit.Actor) (Member, second.Factor, error) {
	if in.Name == "" {
		in.Name = in.Email
	}
	if bad := in.faults(); len(bad) > 0 {
		return Member{}, second.Factor{}, fault.Bad(bad)
	}
	hash, err := s.Hasher.Hash(ctx, in.Password)
	if err != nil {
		return Member{}, second.Factor{}, err
	}
	factor, err1 := second.New(in.Email)
	id, err2 := uuid.NewV7()
	eid, err3 := uuid.NewV7()
	if err := errors.Join(err1, err2, err3); err != nil {
		return Member{}, second.Factor{}, fmt.Errorf("create staff: %w", err)
	}
	now := s.Now().UTC()
	m := Member{ID: ID(id.String()), Email: in.Email, Name: in.Name, Role: in.Role, CreatedAt: now, SecondAt: now}
	e := audit.Entry{ID: eid.String(), At: now, By: by, Action: "staff.create", Target: string(m.ID), Details: map[string]string{"role": string(m.Role)}}
	if err := s.Store.Create(ctx, m, hash, factor, e); err != nil {
		return Member{}, second.Factor{}, fmt.Errorf("create staff: %w", err)
	}
	return m, factor, nil
}

func (in NewMember) faults() map[string]string {
	bad := map[string]string{}
	if msg := account.CheckEmail(in.Email); msg != "" {
		bad["email"] = msg
	}
	if msg := account.CheckPassword(in.Password, in.Email, in.Name); msg != "" {
		bad["password"] = msg
	}
	if !slices.Contains(Roles(), in.Role) {
		bad["role"] = "Choose OWNER, ADMIN, MANAGER or SUPPORT."
	}
	return bad
}
