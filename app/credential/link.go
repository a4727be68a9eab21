package credential

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
)

// LinkLife is how long a one-time link works.
const LinkLife = 10 * time.Minute

// maxLinkBox is how large a sealed value may be that waits behind a link, in base64url.
const maxLinkBox = 128 << 10

// Refusals of links. A link that never was looks like one that was used.
var (
	ErrLink = fault.New(fault.Gone, "secret-link-gone", "one-time link used, expired or unknown",
		"This link was used already or has expired. Nothing was shown. Ask for a new one.")
	errShape = fault.New(fault.Malformed, "secret-link-shape", "one-time link is not well formed",
		"The link could not be created. Nothing was saved. Reload the page and try again.")
)

// LinkKind is what a one-time link is for.
type LinkKind string

// The kinds of links.
const (
	LinkView LinkKind = "view" // shows a value once
	LinkGive LinkKind = "give" // takes a value once
)

// Link opens one secret, once, to whoever holds its key. The key stands behind the # of the address and reaches no
// server; from it both ends derive the token that takes the link, of which the hub keeps the hash. Box is the value,
// encrypted in the owner's browser under the key, and is erased when the link is taken.
type Link struct {
	ID         string // UUIDv7, in the address
	CustomerID account.CustomerID
	Kind       LinkKind
	Name       string // of the secret
	Take       []byte // SHA-256 of the token
	Box        string // LinkView only; base64url
	By         string // address of the person who made it
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// Links keeps one-time links; db.SecretLinks has it.
type Links interface {
	AddLink(ctx context.Context, l Link) error
	// Peek finds a link that could be taken now, without its box; ErrLink otherwise.
	Peek(ctx context.Context, id string, now time.Time) (Link, error)
	// Take uses a link up and returns it with its box, which it erases: for one caller at most. ErrLink for all others.
	Take(ctx context.Context, id string, token []byte, now time.Time) (Link, error)
}

// Share keeps a link that the owner's browser made: take is the token, box the encrypted value for LinkView.
func (s *Service) Share(ctx context.Context, of account.CustomerID, l Link, take string) (Link, error) {
	hash, err := hashOf(take)
	if err != nil || len(l.Box) > maxLinkBox || (l.Kind == LinkView) != (l.Box != "") || l.Kind != LinkView && l.Kind != LinkGive {
		return Link{}, errShape
	}
	if err := s.known(ctx, of, l); err != nil {
		return Link{}, err
	}
	now := s.Now().UTC()
	l.ID, l.CustomerID, l.Take, l.CreatedAt, l.ExpiresAt = uuid.Must(uuid.NewV7()).String(), of, hash, now, now.Add(LinkLife)
	if err := s.Links.AddLink(ctx, l); err != nil {
		return Link{}, fmt.Errorf("share secret: %w", err)
	}
	return l, nil
}

// known refuses a link that shows a secret which is not there.
func (s *Service) known(ctx context.Context, of account.CustomerID, l Link) error {
	if l.Kind == LinkGive {
		return nil // the vault judges the name when the value comes
	}
	all, err := s.List(ctx, of)
	if err != nil {
		return err
	}
	for _, i := range all.Items {
		if i.Name == l.Name {
			return nil
		}
	}
	return fault.New(fault.NotFound, "secret-unknown", "no such secret", "There is no credential with this name on your server.")
}

// PeekLink says what a link is for. It uses nothing up, so that a robot that looks at addresses spoils none.
func (s *Service) PeekLink(ctx context.Context, id string) (Link, error) {
	if uuid.Validate(id) != nil {
		return Link{}, ErrLink
	}
	return s.Links.Peek(ctx, id, s.Now().UTC())
}

// TakeLink uses a link up. Its box is in what it returns, and nowhere else afterwards.
func (s *Service) TakeLink(ctx context.Context, id, take string) (Link, error) {
	hash, err := hashOf(take)
	if err != nil || uuid.Validate(id) != nil {
		return Link{}, ErrLink
	}
	return s.Links.Take(ctx, id, hash, s.Now().UTC())
}

// OpenLink begins giving a value through a link: the server's key and a nonce.
func (s *Service) OpenLink(ctx context.Context, id string) (wire.SecretOpening, error) {
	l, err := s.PeekLink(ctx, id)
	if err != nil || l.Kind != LinkGive {
		return wire.SecretOpening{}, orGone(err)
	}
	return s.Open(ctx, l.CustomerID, wire.SecretOpenParams{Method: wire.MethodSecretsProvide, Name: l.Name})
}

// GiveLink gives a sealed value through a link and uses it up. Whoever holds the link acts for the person who made it.
func (s *Service) GiveLink(ctx context.Context, id, take, nonce string, box wire.SecretBox, from string) error {
	if l, err := s.PeekLink(ctx, id); err != nil || l.Kind != LinkGive {
		return orGone(err)
	}
	l, err := s.TakeLink(ctx, id, take)
	if err != nil {
		return err
	}
	by := wire.DecidedBy{Name: "one-time link of " + l.By, Role: "link", Channel: "link", Address: from, Method: "link", Time: s.Now().UTC()}
	_, err = s.Provide(ctx, l.CustomerID, wire.SecretProvide{Name: l.Name, Nonce: nonce, Box: box, By: by})
	return err
}

func orGone(err error) error {
	if err == nil {
		return ErrLink
	}
	return err
}

// hashOf is what is kept of a token: 32 random bytes in base64url.
func hashOf(take string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(take)
	if err != nil || len(raw) != sha256.Size {
		return nil, errShape
	}
	sum := sha256.Sum256(raw)
	return sum[:], nil
}
