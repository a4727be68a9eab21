package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// overdueGrace is how long after its end a pending approval is left to the server, which decides by its own clock.
const overdueGrace = 5 * time.Minute

// maxLife bounds how far ahead an approval may end.
const maxLife = 8 * 24 * time.Hour

// Sender is the server that a frame came from, as its link proved it.
type Sender struct {
	ID         server.ID
	CustomerID account.CustomerID
}

// Receive keeps what a server asks, in the transaction of ctx. The same question again changes nothing.
func (s *Service) Receive(ctx context.Context, from Sender, a wire.Approval) error {
	if err := fit(from, a, s.Now()); err != nil {
		return fmt.Errorf("receive approval %s: %w", a.ID, err)
	}
	a.State, a.Execution, a.DecidedBy, a.DenyReason, a.Next = wire.ApprovalPending, wire.ExecNone, nil, "", ""
	added, err := s.Store.Add(ctx, Item{Approval: a, CustomerID: from.CustomerID})
	if err != nil {
		return fmt.Errorf("receive approval %s: %w", a.ID, err)
	}
	if !added {
		return s.same(ctx, from, a)
	}
	return s.Devices.Changed(ctx, from.CustomerID)
}

// same checks that an approval which is known already is the one that came again.
func (s *Service) same(ctx context.Context, from Sender, a wire.Approval) error {
	known, err := s.Store.Get(ctx, from.CustomerID, a.ID)
	if err != nil {
		return fmt.Errorf("receive approval %s: %w", a.ID, err)
	}
	if known.Digest != a.Digest || known.ServerID != a.ServerID {
		return fmt.Errorf("receive approval %s: %w", a.ID, errLater)
	}
	return nil
}

// fit refuses what a server may not send: the server is known from its link, never from what it says.
func fit(from Sender, a wire.Approval, now time.Time) error {
	if a.ServerID != string(from.ID) {
		return errOther
	}
	if a.Digest != wire.DigestOf(a) {
		return errStaged
	}
	ids := []string{a.SessionID, a.RootRunID, a.RunID, a.CallID}
	bad := uuid.Validate(a.ID) != nil || slices.ContainsFunc(ids, func(id string) bool { return id == "" || len(id) > 64 }) ||
		a.Agent == "" || len(a.Agent) > 64 || a.Tool == "" || len(a.Tool) > 128 || len(a.Code) > 16 || a.Tier == "" ||
		!json.Valid(a.Args) || a.ExpiresAt.IsZero() || a.ExpiresAt.After(now.Add(maxLife))
	if bad {
		return errForm
	}
	return nil
}

// Update takes over what a server reports about one of its approvals, in the transaction of ctx.
func (s *Service) Update(ctx context.Context, from Sender, u wire.ApprovalUpdate) error {
	_, err := s.Store.Change(ctx, from.CustomerID, u.ID, func(ctx context.Context, a *Item) error {
		if a.ServerID != string(from.ID) {
			return errOther
		}
		was := a.State
		if err := a.Apply(u, s.Now()); err != nil {
			return err
		}
		return s.moved(ctx, *a, was)
	})
	if err != nil {
		return fmt.Errorf("update approval %s: %w", u.ID, err)
	}
	return nil
}

// Expire ends what nobody answered and no server has ended by itself, such as that of a server which is away, so that
// its contents do not stay. It gives the number of those that it ended.
func (s *Service) Expire(ctx context.Context) (int, error) {
	now := s.Now().UTC()
	ids, err := s.Store.Overdue(ctx, now.Add(-overdueGrace), 500)
	if err != nil {
		return 0, fmt.Errorf("expire approvals: %w", err)
	}
	n := 0
	for _, id := range ids {
		a, err := s.Store.ChangeAny(ctx, id, func(ctx context.Context, a *Item) error {
			was := a.State
			if was == wire.ApprovalPending {
				a.expire(now)
			}
			return s.moved(ctx, *a, was)
		})
		if err != nil {
			return n, fmt.Errorf("expire approval %s: %w", id, err)
		}
		s.changed(ctx, a)
		n++
	}
	return n, nil
}
