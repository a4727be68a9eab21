package approver

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// StaffLife is how long a key of one of our staff waits: the owner has to be reached first.
const StaffLife = 24 * time.Hour

// Standing is how it stands with a key of one of our staff.
type Standing string

// The standings. Only an enrolled key allows.
const (
	Asked    Standing = "asked"
	Enrolled Standing = "enrolled"
	Refused  Standing = "refused"
	Revoked  Standing = "revoked"
	RanOut   Standing = "ran_out"
)

// StaffKey is a key with which one of our staff allows on a customer's server, or asked to.
type StaffKey struct {
	Request
	Server   server.ID
	Slug     string // of the server
	Customer string // whose it is
	Standing Standing
	Since    time.Time // when it was enrolled; zero otherwise
	Used     time.Time // when it allowed something last; zero: never
}

var errNoOwner = fault.New(fault.Conflict, "approver-no-owner", "no key of the owner can vouch",
	"No device of this server's owner may approve yet, so none can add yours. Nothing was changed. The owner must add a device first.")

// AskAsStaff lets one of our staff wait for the owner to vouch for their key. It is called by their address, which the
// owner signs with it: nobody else could ask under that name. The owner is told by mail.
func (s *Service) AskAsStaff(ctx context.Context, of account.CustomerID, r Request, by audit.Actor) error {
	if err := staff.Require(by, staff.ApprovalsDecide); err != nil {
		return err
	}
	r.Staff, r.Label, r.Address = by.ID, clipped(by.Name), by.Address
	r, err := r.clean()
	if err != nil {
		return err
	}
	ring, err := s.Store.Of(ctx, of)
	switch {
	case err != nil:
		return fmt.Errorf("approver keys: %w", err)
	case !slices.ContainsFunc(ring.Keys, func(k wire.ApproverKey) bool { return k.Holder == wire.HolderPerson }):
		return errNoOwner
	}
	r.At = s.Now()
	e := audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: r.At, By: by, CustomerID: string(of), Action: "approver.ask", Target: string(ring.ServerID),
		Details: map[string]string{"key_id": r.KeyID, "kind": string(r.Kind)},
	}
	return s.Requests.AskAsStaff(ctx, ring.ServerID, r, r.letter(), e)
}

// letter tells an owner that one of our staff asks: once a day, however often they ask.
func (r Request) letter() work.SendMail {
	return work.SendMail{Template: "staff_key", Ref: r.Staff + " " + r.At.UTC().Format(time.DateOnly)}
}

// clipped is an address that fits the name of a key.
func clipped(name string) string {
	const most = 60
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most-1]) + "…"
}

// OfStaff reads the keys of one of our staff, the newest first.
func (s *Service) OfStaff(ctx context.Context, staffID string) ([]StaffKey, error) {
	return s.Requests.OfStaff(ctx, staffID, s.staffSince())
}

// Used says when keys of our staff allowed something at a customer's last, by key.
func (s *Service) Used(ctx context.Context, of account.CustomerID) (map[string]time.Time, error) {
	return s.Requests.Used(ctx, of)
}

func (s *Service) staffSince() time.Time { return s.Now().Add(-StaffLife) }
