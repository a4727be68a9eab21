package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
)

// Person is what pages show of who is signed in.
type Person struct {
	Email    string
	Name     string
	Role     string // owner, member; OWNER, ADMIN, MANAGER, SUPPORT
	Business string // customers only
	TimeZone string // IANA name
	Locale   string // "" when none was chosen
	Chat     bool   // customers only: a member may talk with the team
	Approve  bool   // likewise: a member may decide requests
}

// Store keeps sign-ins by the hash of their secret; db.Signins is one.
type Store interface {
	// Replace ends the sign-in whose hash is old, when there is one, and adds s under hash: both or neither.
	// It may take dead rows away on the way.
	Replace(ctx context.Context, old, hash []byte, s Signin) error
	// Find returns the sign-in under hash and its person. A person who was switched off has none: ErrNone.
	Find(ctx context.Context, hash []byte) (Signin, Person, error)
	// Touch notes that s was used at seen.
	Touch(ctx context.Context, id string, seen time.Time) error
	// End ends one sign-in; ending it twice is no error.
	End(ctx context.Context, id string) error
	// EndOthers ends every sign-in of the same person except keep, and returns the ids it ended.
	EndOthers(ctx context.Context, of Subject, keep string) ([]string, error)
	// List gives the sign-ins of the person of that kind that are live at now, the one used last first.
	List(ctx context.Context, of Subject, kind Kind, now time.Time) ([]Signin, error)
	// EndOnRecord ends sign-ins of the person, records it and returns the ids that it ended; nothing is recorded of nothing.
	EndOnRecord(ctx context.Context, of Subject, which Which, e audit.Entry) ([]string, error)
	// Alive returns those of ids that are live at now.
	Alive(ctx context.Context, ids []string, now time.Time) ([]string, error)
}

// Which names sign-ins of one person: Only that one, or all But one.
type Which struct{ Only, But string }

// Desk opens and ends sign-ins.
type Desk struct {
	Store Store
	Now   func() time.Time
	Lives Lives // what our staff may shorten
}

// Origin is where a sign-in came from, for the list of sign-ins.
type Origin struct {
	Address string
	Browser string
}

// Open makes a sign-in with a new id and a new secret, ending the one that the browser held under old ("" for none):
// an id planted before is worth nothing after. The secret is returned once and never stored.
func (d Desk) Open(ctx context.Context, kind Kind, who Subject, from Origin, old string) (Signin, string, error) {
	now := d.Now().UTC()
	s := Signin{
		Subject: who, ID: uuid.Must(uuid.NewV7()).String(), Kind: kind,
		CreatedAt: now, SeenAt: now, FreshAt: now, ExpiresAt: now.Add(d.Lives.of(kind)),
		Address: from.Address, Browser: cut(from.Browser, 200),
	}
	secret := newSecret()
	if err := d.Store.Replace(ctx, hashOf(old), hashOf(secret), s); err != nil {
		return Signin{}, "", fmt.Errorf("open sign-in: %w", err)
	}
	return s, secret, nil
}

// Find returns the live sign-in of the given kind that secret opens, or ErrNone.
func (d Desk) Find(ctx context.Context, kind Kind, secret string) (Signin, Person, error) {
	if secret == "" {
		return Signin{}, Person{}, ErrNone
	}
	s, p, err := d.Store.Find(ctx, hashOf(secret))
	if err != nil {
		return Signin{}, Person{}, err
	}
	now := d.Now().UTC()
	if s.Kind != kind || !s.Live(now) || d.Lives.over(s, now) {
		return Signin{}, Person{}, ErrNone
	}
	if s.Stale(now) {
		if err := d.Store.Touch(ctx, s.ID, now); err != nil {
			return Signin{}, Person{}, fmt.Errorf("touch sign-in: %w", err)
		}
		s.SeenAt = now
	}
	return s, p, nil
}

// newSecret is 256 random bits in base64url.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand crashes the process instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// hashOf is what a store keeps instead of a secret; nil for "".
func hashOf(secret string) []byte {
	if secret == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// cut shortens s to at most n bytes of valid UTF-8. A header may hold any bytes, and no database keeps other text.
func cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
