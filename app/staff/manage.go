package staff

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/second"
	"gatehouse/app/work"
)

// Refusals of changes to the staff.
var (
	ErrSelf = fault.New(fault.Forbidden, "staff-self", "one's own account",
		"This is your own account. Nothing was changed. Another owner or admin of the staff can do this.")
	ErrLastOwner = fault.New(fault.Conflict, "last-owner", "the last owner who can sign in",
		"This is the last owner of the staff who can sign in. Nothing was changed. Make someone else an owner first.")
	errOff = fault.New(fault.Conflict, "staff-off", "the account is switched off",
		"This account is switched off. Nothing was changed. Switch it on first.")
)

// LetterPasskey is the letter that says that a passkey was added (app/passkey).
const LetterPasskey = "staff_passkey_on"

// LetterSecond is the letter with a link to set the second step up again.
const LetterSecond = "staff_second"

// allowed says whether who acts may change this member at all.
func (c *Case) allowed() error {
	switch {
	case c.By.ID == c.ID:
		return ErrSelf
	case c.By.ID != "" && !c.By.Role.Manages(c.Role):
		return errOwners
	}
	return nil
}

// lastOwner says whether nobody else could take this owner's place.
func (c *Case) lastOwner() bool { return c.Role == Owner && c.Works() && c.Owners <= 1 }

// setRole gives the member another role.
func (c *Case) setRole(r Role) error {
	if err := c.allowed(); err != nil {
		return err
	}
	switch {
	case !slices.Contains(Roles(), r):
		return fault.Bad(map[string]string{"role": "Choose OWNER, ADMIN, MANAGER or SUPPORT."})
	case c.By.ID != "" && !c.By.Role.Manages(r):
		return errOwners
	case r != Owner && c.lastOwner():
		return ErrLastOwner
	}
	c.Role = r
	return nil
}

// Find finds a member, also one who was switched off.
func (s *Service) Find(ctx context.Context, id ID) (Member, error) { return s.Store.Find(ctx, id) }

// SetRole gives a member another role, which ends their sign-ins, and the invitations that they sent in the one before.
func (s *Service) SetRole(ctx context.Context, id ID, r Role, by audit.Actor) (Member, error) {
	return s.change(ctx, id, by, "staff.role", func(c *Case) error {
		was := c.Role
		if err := c.setRole(r); err != nil || was == r {
			return err
		}
		c.Entry.Details, c.Uninvite = map[string]string{"was": string(was), "role": string(r)}, true
		return c.record()
	})
}

// SwitchOff ends a member's access: sign-ins, access keys and open invitations with it. What they did stays on record.
func (s *Service) SwitchOff(ctx context.Context, id ID, by audit.Actor) (Member, error) {
	if err := s.confirmOff(ctx, id, by); err != nil {
		return Member{}, err
	}
	return s.change(ctx, id, by, "staff.off", func(c *Case) error {
		if err := c.allowed(); err != nil || !c.OffAt.IsZero() {
			return err
		}
		if c.lastOwner() {
			return ErrLastOwner
		}
		c.OffAt, c.Unlink, c.Uninvite = c.Entry.At, true, true
		return c.record()
	})
}

// confirmOff refuses to switch a member off without the code for it. What would be refused anyway uses up no code.
func (s *Service) confirmOff(ctx context.Context, id ID, by audit.Actor) error {
	if by.Kind != audit.Staff {
		return nil
	}
	m, err := s.Store.Find(ctx, id)
	if err != nil {
		return err
	}
	who, err := s.Store.Get(ctx, ID(by.ID))
	if err != nil {
		return err
	}
	c := Case{Member: m, By: who}
	if err := c.allowed(); err != nil || !m.OffAt.IsZero() {
		return err
	}
	return Confirm(ctx, s.Codes, by, Destroying{Action: SwitchOff, Object: string(id), Name: m.Email})
}

// SwitchOn lets a member sign in again.
func (s *Service) SwitchOn(ctx context.Context, id ID, by audit.Actor) (Member, error) {
	return s.change(ctx, id, by, "staff.on", func(c *Case) error {
		if err := c.allowed(); err != nil || c.OffAt.IsZero() {
			return err
		}
		c.OffAt = Member{}.OffAt
		return c.record()
	})
}

// ResetSecond takes a member's second step and backup codes away and mails them a link to set both up again. Asked once more it
// mails a new link; the older ones end.
func (s *Service) ResetSecond(ctx context.Context, id ID, by audit.Actor) (Member, error) {
	return s.change(ctx, id, by, "staff.second_reset", func(c *Case) error {
		if err := c.allowed(); err != nil {
			return err
		}
		switch {
		case !c.OffAt.IsZero():
			return errOff
		case c.lastOwner():
			return ErrLastOwner
		}
		factor, err := second.New(c.Email)
		if err != nil {
			return err
		}
		c.Factor, c.Next, c.Backup, c.Unlink = factor, "", nil, true
		c.SecondAt = Member{}.SecondAt
		c.Work = []work.Item{work.SendMail{Template: LetterSecond, UserID: string(c.ID), Ref: newToken()[:8]}}
		return c.record()
	})
}

// EndSignins signs a member out everywhere.
func (s *Service) EndSignins(ctx context.Context, id ID, by audit.Actor) error {
	m, err := s.Store.Find(ctx, id)
	if err != nil {
		return err
	}
	who, err := s.Store.Get(ctx, ID(by.ID))
	if err != nil {
		return err
	}
	c := Case{Member: m, By: who}
	if err := c.allowed(); err != nil {
		return err
	}
	return s.Store.EndSignins(ctx, id, s.entry(by, "staff.sign_out", string(id)))
}

// change runs fn on a member on behalf of by. The record is prepared; it is written if fn says so.
func (s *Service) change(ctx context.Context, id ID, by audit.Actor, action string, fn func(*Case) error) (Member, error) {
	m, err := s.Store.Change(ctx, id, actor(by), func(c *Case) error {
		c.Entry = s.entry(by, action, string(id))
		c.Entry.ID = ""
		return fn(c)
	})
	if err != nil {
		return Member{}, fmt.Errorf("%s: %w", action, err)
	}
	return m, nil
}

// record has the change written down.
func (c *Case) record() error {
	id, err := uuid.NewV7()
	c.Entry.ID = id.String()
	return err
}

// actor is which of the staff acts; nobody where the hub does.
func actor(by audit.Actor) ID {
	if by.Kind != audit.Staff {
		return ""
	}
	return ID(by.ID)
}

// entry is the record of a change that happens now.
func (s *Service) entry(by audit.Actor, action, target string) audit.Entry {
	return audit.Entry{ID: uuid.Must(uuid.NewV7()).String(), At: s.Now().UTC(), By: by, Action: action, Target: target}
}
