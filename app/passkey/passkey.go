package passkey

import (
	"context"
	"crypto/sha512"
	"encoding/json"
	"net"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/tune"
	"gatehouse/app/work"
)

// Kind says whose a passkey is. One of the one kind never signs in the other.
type Kind string

// The kinds.
const (
	User  Kind = "user"  // a person of a customer
	Staff Kind = "staff" // one of us
)

// Owner is whose a passkey is.
type Owner struct {
	Kind       Kind
	ID         string
	CustomerID string // of a customer's person
	Email      string // as the authenticator shows it
	Name       string
}

// Passkey is one that its owner sees in the list.
type Passkey struct {
	ID        string
	Name      string
	CreatedAt time.Time
	UsedAt    time.Time // zero: never
}

// Record is what is kept of a passkey.
type Record struct {
	Passkey
	Owner  Owner
	Public webauthn.Credential
}

// Challenge is what an authenticator was asked.
type Challenge struct {
	Hash      []byte // of the name that the browser sends back
	Purpose   string // add_user, add_staff, enter_user, enter_staff
	Owner     string // who adds; empty at a sign-in
	Session   json.RawMessage
	ExpiresAt time.Time
}

// Refusals.
var (
	ErrUnknown = fault.New(fault.Unauthorized, "passkey-unknown", "no such passkey for signing in",
		"This passkey does not sign in here. One that approves requests never does. Choose another, or sign in with your password.")
	ErrAnswer = fault.New(fault.Unauthorized, "passkey-answer", "answer of an authenticator does not hold",
		"The passkey's answer could not be verified. Nothing was changed. Try again, or sign in with your password.")
	ErrOver = fault.New(fault.Unauthorized, "passkey-over", "challenge used, expired or unknown",
		"This took too long or was sent twice. Nothing was changed. Try again.")
	ErrCopied = fault.New(fault.Unauthorized, "passkey-copied", "counter of a passkey went back",
		"This passkey was used somewhere else in the meantime, so there may be a copy of it. Nobody was signed in. "+
			"Sign in another way, and remove it.")
	ErrKnown = fault.New(fault.Conflict, "passkey-known", "credential is kept already",
		"This passkey was added already. Nothing was changed.")
	ErrFull = fault.New(fault.Conflict, "passkey-full", "too many passkeys",
		"You have 20 passkeys. Nothing was changed. Remove one first.")
	ErrGone    = fault.New(fault.NotFound, "no-passkey", "no such passkey", "This passkey was removed already.")
	ErrNowhere = fault.New(fault.Conflict, "passkey-address", "hub is reached by a number",
		"Passkeys need a website with a name. Nothing was changed. Open this one under its name, not under its number.")
)

// TellAdded is the letter that tells a customer's person that a passkey was added to their account; our staff get
// staff.LetterPasskey.
const TellAdded = "passkey_on"

// Limits.
const (
	challengeLife = 5 * time.Minute
	maxPasskeys   = 20
	maxName       = 60
)

// Store is what Service needs; db.Passkeys has it.
type Store interface {
	// Ask keeps a challenge and forgets those that ran out.
	Ask(ctx context.Context, c Challenge, now time.Time) error
	// Take gives the session of a challenge that waits, once. Else it answers ErrOver.
	Take(ctx context.Context, hash []byte, purpose, owner string, now time.Time) (json.RawMessage, error)
	// Of lists the passkeys of somebody, oldest first.
	Of(ctx context.Context, o Owner) ([]Record, error)
	// Add keeps one, with its record and the mail about it. A known credential is ErrKnown, the one past limit ErrFull.
	Add(ctx context.Context, r Record, limit int, e audit.Entry, letter work.SendMail) error
	// Rename gives one of the owner's another name, or answers ErrGone.
	Rename(ctx context.Context, o Owner, id, name string, e audit.Entry) error
	// Remove takes one of the owner's away, or answers ErrGone.
	Remove(ctx context.Context, o Owner, id string, e audit.Entry) error
	// Use locks a passkey of the kind whose owner may sign in, and keeps its counter and time when fn is content. Without one it
	// answers ErrUnknown.
	Use(ctx context.Context, k Kind, keyID []byte, fn func(*Record) error) error
}

// Service adds passkeys and lets people in with them.
type Service struct {
	Store Store
	Now   func() time.Time
	Most  tune.Value[int] // passkeys of one person

	party *webauthn.WebAuthn // nil: the hub has no name
}

// New makes a Service for the hub at origin. Browsers give passkeys to names alone: a hub at a number has none.
func New(store Store, origin string, now func() time.Time) (*Service, error) {
	s := &Service{Store: store, Now: now}
	u, err := url.Parse(origin)
	if err != nil {
		return nil, err
	}
	if net.ParseIP(u.Hostname()) != nil {
		return s, nil
	}
	s.party, err = webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: "Gatehouse", RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
	})
	return s, err
}

// Offered says whether the hub has passkeys.
func (s *Service) Offered() bool { return s.party != nil }

// person is somebody as the library sees them.
type person struct {
	Owner
	credentials []webauthn.Credential
}

// WebAuthnID is the handle by which authenticators tell accounts apart. It is the same for all passkeys of somebody, tells nothing
// about them, and is never that of a passkey for approving, which has a random one.
func (p person) WebAuthnID() []byte {
	sum := sha512.Sum512([]byte("gatehouse-sign-in-v1\n" + string(p.Kind) + "\n" + p.ID))
	return sum[:]
}

func (p person) WebAuthnName() string { return p.Email }

func (p person) WebAuthnDisplayName() string {
	if p.Name == "" {
		return p.Email
	}
	return p.Name
}

func (p person) WebAuthnCredentials() []webauthn.Credential { return p.credentials }
