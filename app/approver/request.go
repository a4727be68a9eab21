package approver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/app/work"
)

// RequestLife is how long a device that asks to be enrolled waits for somebody to vouch for it.
const RequestLife = 15 * time.Minute

// maxRequests is how many devices may wait at once: two would do, and a flood would hide the right one.
const maxRequests = 5

// Request is a key of another device that asks to be enrolled. A key that is enrolled already has to vouch for it.
type Request struct {
	KeyID      string
	SPKI       string // base64url without padding, DER
	Kind       wire.KeyKind
	Label      string
	Credential string // passkey only
	Address    string // where it asked from
	Staff      string // which of our staff asks; empty: a device of the business
	User       string // which person of the business asks; empty: it is not known
	Person     string // how they are called
	Member     bool   // they are a member: their key allows one request at a time
	At         time.Time
}

// Body is what is signed to vouch for it.
func (r Request) Body() wire.EnrolBody {
	return wire.EnrolBody{Holder: r.holder(), Kind: r.Kind, Label: r.Label, SPKI: r.SPKI}
}

func (r Request) holder() wire.Holder {
	switch {
	case r.Staff != "":
		return wire.HolderStaff
	case r.Member:
		return wire.HolderMember
	}
	return wire.HolderPerson
}

// Requests is where requests wait, and where it is known whose the keys of our staff are; db.Approvers has it.
type Requests interface {
	// Waiting reads what devices have asked for since a time, and our staff since another, oldest first.
	Waiting(ctx context.Context, id server.ID, devices, staff time.Time) ([]Request, error)
	// Ask keeps a device's request, in place of an earlier one for the same key, and forgets what was asked before since.
	Ask(ctx context.Context, id server.ID, r Request, since time.Time) error
	// Drop forgets a device's request and marks one of staff as refused; one that is not there is no error.
	Drop(ctx context.Context, id server.ID, keyID string) error
	// Belongs keeps which person of the business a key is of, in place of whom it was said to be of before.
	Belongs(ctx context.Context, id server.ID, keyID, userID string) error
	// People says whose the keys of a customer's server are, by key, as far as it is known.
	People(ctx context.Context, of account.CustomerID) (map[string]Person, error)
	// AskAsStaff keeps the request of one of our staff, in place of all that they have asked of this server and that did
	// not become a key, records it, and has the owners sent a letter about it.
	AskAsStaff(ctx context.Context, id server.ID, r Request, letter work.SendMail, e audit.Entry) error
	// OfStaff reads the keys of one of our staff, the newest first. What was asked before since has run out.
	OfStaff(ctx context.Context, staffID string, since time.Time) ([]StaffKey, error)
	// Used says when keys of our staff allowed something at a customer's last, by key.
	Used(ctx context.Context, of account.CustomerID) (map[string]time.Time, error)
}

var (
	errRequest = fault.New(fault.Invalid, "approver-request", "request for an approver key does not fit", "This device cannot be added. Nothing was changed. Give it a name of one line with at most 60 characters, and use a browser or a passkey.")
	errCrowd   = fault.New(fault.Conflict, "approver-requests", "too many requests for approver keys", "Five devices are already waiting. Nothing was changed. Refuse those that you do not recognize, or wait until their time is over.")
	errGone    = fault.New(fault.NotFound, "approver-request-gone", "request for an approver key is gone", "This device is no longer waiting: it was added, refused or asked again, or its time is over. Nothing was changed.")
)

// Ask lets a device wait for somebody to vouch for its key.
func (s *Service) Ask(ctx context.Context, of account.CustomerID, r Request) (Request, error) {
	var err error
	if r, err = r.clean(); err != nil {
		return r, err
	}
	ring, waiting, err := s.Asking(ctx, of)
	switch {
	case err != nil:
		return r, err
	case !slices.ContainsFunc(ring.Keys, func(k wire.ApproverKey) bool { return k.Holder == wire.HolderPerson }):
		return r, errNobody
	case crowded(waiting, r.KeyID):
		return r, errCrowd
	}
	r.At = s.Now()
	if err := s.Requests.Ask(ctx, ring.ServerID, r, s.since()); err != nil {
		return r, fmt.Errorf("ask for approver key: %w", err)
	}
	return r, nil
}

// crowded says whether too many others wait; who asks again takes its own place.
func crowded(waiting []Request, keyID string) bool {
	others := 0
	for _, r := range waiting {
		if r.KeyID != keyID && r.Staff == "" {
			others++
		}
	}
	return others >= maxRequests
}

var errNobody = fault.New(fault.Conflict, "approver-nobody", "no key can vouch", "No device may approve yet, so none can add this one. Nothing was changed. Use the code from your server for the first device.")

// clean checks a request and names its key.
func (r Request) clean() (Request, error) {
	if _, err := wire.ParseApproverKey(r.Kind, r.SPKI); err != nil {
		return r, errRequest
	}
	r.Label = strings.TrimSpace(r.Label)
	if n := utf8.RuneCountInString(r.Label); n == 0 || n > 60 || strings.ContainsFunc(r.Label, unshown) || len(r.Credential) > 2048 || r.Kind != wire.BrowserKey && r.Kind != wire.PasskeyKey {
		return r, errRequest
	}
	r.KeyID = wire.ApproverKeyIDOf(r.SPKI)
	return r, nil
}

// unshown are the characters that would make one name look like another; the server refuses them, too.
func unshown(r rune) bool { return !unicode.IsPrint(r) }

// Asking reads the keys, and the devices that wait to have one added.
func (s *Service) Asking(ctx context.Context, of account.CustomerID) (Ring, []Request, error) {
	ring, err := s.Store.Of(ctx, of)
	if err != nil {
		return ring, nil, fmt.Errorf("approver keys: %w", err)
	}
	all, err := s.Requests.Waiting(ctx, ring.ServerID, s.since(), s.staffSince())
	if err != nil {
		return ring, nil, fmt.Errorf("requests for approver keys: %w", err)
	}
	var waiting []Request
	for _, r := range all {
		if !has(ring.Keys, r.KeyID) {
			waiting = append(waiting, r)
		}
	}
	return ring, waiting, nil
}

func (s *Service) since() time.Time { return s.Now().Add(-RequestLife) }

// Vouch has a device's key enrolled with the signature of one that is. The server checks the signature.
func (s *Service) Vouch(ctx context.Context, of account.CustomerID, keyID string, version int64, sig *wire.Signature, by wire.DecidedBy) error {
	ring, waiting, err := s.Asking(ctx, of)
	if err != nil {
		return err
	}
	for _, r := range waiting {
		if r.KeyID != keyID {
			continue
		}
		if r.User != "" { // before the server has the key: it must never be one of nobody
			if err := s.Requests.Belongs(ctx, ring.ServerID, keyID, r.User); err != nil {
				return err
			}
		}
		_, err := s.Enrol(ctx, of, wire.Enrolment{
			SPKI: r.SPKI, Kind: r.Kind, Holder: r.holder(), Label: r.Label, Credential: r.Credential, Version: version, Signature: sig, By: by,
		})
		if err != nil || r.Staff != "" { // of a key of staff, what the server reports is the answer
			return err
		}
		return s.Requests.Drop(ctx, ring.ServerID, keyID)
	}
	return errGone
}

// Refuse sends a waiting device away. That needs no signature: it gives nobody anything.
func (s *Service) Refuse(ctx context.Context, of account.CustomerID, keyID string) error {
	ring, err := s.Store.Of(ctx, of)
	if err != nil {
		return fmt.Errorf("approver keys: %w", err)
	}
	return s.Requests.Drop(ctx, ring.ServerID, keyID)
}
