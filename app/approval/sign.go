package approval

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// signSkew is how far the time in a signature may be from the hub's when it arrives.
const signSkew = 5 * time.Minute

// Keys knows which keys may allow on a server, as that server says; db.Approvers has it. A call belongs to the
// transaction of ctx.
type Keys interface {
	// Holder says whose key it is, and who exactly: which of our staff, or which person of the business; "" when the server has
	// reported none of that name, or it is not known.
	Holder(ctx context.Context, id server.ID, keyID string) (h wire.Holder, member string, err error)
	// Decides says whether a person of the customer may decide requests now.
	Decides(ctx context.Context, of account.CustomerID, userID string) (bool, error)
}

// What can be wrong with a signature, as far as the hub can tell. Whether it holds is for the server alone.
var (
	ErrUnsigned = fault.New(fault.Forbidden, "signature-required", "allow without a signature",
		"You can allow this only on a device that may approve. Nothing was decided.")
	ErrUnknownKey = fault.New(fault.Forbidden, "signature-unknown-key", "signature of a key that is not enrolled",
		"This device may not approve on your server. Nothing was decided. Let it approve under Settings, Devices that may approve.")
	ErrSignedLate = fault.New(fault.Forbidden, "signature-stale", "time of the signature is too far off",
		"Your answer took more than 5 minutes to arrive, or a clock is wrong. Nothing was decided. Check the clock and try again.")
	ErrNotYourKey = fault.New(fault.Forbidden, "signature-not-yours", "member signed with a key that is not theirs",
		"This device may not approve for you. Nothing was decided. Ask an owner to add it under Settings, Devices that may approve.")
	errSignForm = fault.Bad(map[string]string{"signature": "A signature has key_id, time in whole seconds, and sig in base64url."})
)

// signed checks what can be checked here of an answer that gives leave: that the server is not on hold, and the signature.
func (s *Service) signed(ctx context.Context, a *Item, ans Answer, now time.Time) error {
	if ans.Verb == wire.Deny {
		return nil
	}
	if err := s.Holds.MayAllow(ctx, server.ID(a.ServerID)); err != nil {
		return err
	}
	sig := ans.Signature
	switch {
	case sig == nil:
		return unsigned(ans)
	case !wellFormed(*sig):
		return errSignForm
	case sig.Time.Before(now.Add(-signSkew)) || sig.Time.After(now.Add(signSkew)):
		return ErrSignedLate
	}
	holder, member, err := s.Keys.Holder(ctx, server.ID(a.ServerID), sig.KeyID)
	switch {
	case err != nil:
		return fmt.Errorf("check signature: %w", err)
	case ans.By.Role == "staff" && (holder != wire.HolderStaff || member != ans.By.UserID):
		return ErrStaffAllow // a signature, but not of theirs
	case holder == "":
		return ErrUnknownKey
	case ans.By.Role != "staff" && holder == wire.HolderStaff:
		return ErrUnsigned
	case ans.By.Role == "member" && (holder != wire.HolderMember || member != ans.By.UserID):
		return ErrNotYourKey
	case holder == wire.HolderMember && ans.Verb != wire.AllowOnce:
		return ErrMemberOnce
	}
	return nil
}

func unsigned(ans Answer) error {
	if ans.By.Role == "staff" {
		return ErrStaffAllow
	}
	return ErrUnsigned
}

// wellFormed says whether a signature could be one.
func wellFormed(s wire.Signature) bool {
	id, err1 := base64.RawURLEncoding.Strict().DecodeString(s.KeyID)
	sig, err2 := base64.RawURLEncoding.Strict().DecodeString(s.Sig)
	const longest = 4 << 10 // what a browser and an authenticator say together is a few hundred bytes
	return err1 == nil && err2 == nil && len(id) == 32 && len(sig) >= 8 && len(sig) <= 80 &&
		s.Time.Nanosecond() == 0 && len(s.AuthData)+len(s.ClientData) < longest
}
