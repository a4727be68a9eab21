package passkey

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// Asked is what a browser is asked, and the name of the challenge, which it sends back with the answer.
type Asked struct {
	Challenge string `json:"challenge"`
	Options   any    `json:"options"`
}

// BeginAdd asks a browser to make a passkey.
func (s *Service) BeginAdd(ctx context.Context, o Owner) (Asked, error) {
	if s.party == nil {
		return Asked{}, ErrNowhere
	}
	has, err := s.Store.Of(ctx, o)
	if err != nil {
		return Asked{}, fmt.Errorf("add passkey: %w", err)
	}
	if len(has) >= s.Most.Or(maxPasskeys) {
		return Asked{}, ErrFull
	}
	who := person{Owner: o}
	for _, r := range has {
		who.credentials = append(who.credentials, r.Public)
	}
	options, session, err := s.party.BeginRegistration(who,
		webauthn.WithExclusions(webauthn.Credentials(who.credentials).CredentialDescriptors()))
	if err != nil {
		return Asked{}, fmt.Errorf("add passkey: %w", err)
	}
	return s.ask(ctx, "add_"+string(o.Kind), o.ID, options.Response, session)
}

// ask keeps what an authenticator is asked.
func (s *Service) ask(ctx context.Context, purpose, owner string, options any, session *webauthn.SessionData) (Asked, error) {
	kept, err := json.Marshal(session)
	if err != nil {
		return Asked{}, fmt.Errorf("keep challenge: %w", err)
	}
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails: it ends the program instead
	name, now := base64.RawURLEncoding.EncodeToString(secret[:]), s.Now().UTC()
	err = s.Store.Ask(ctx, Challenge{
		Hash: hashOf(name), Purpose: purpose, Owner: owner, Session: kept, ExpiresAt: now.Add(challengeLife),
	}, now)
	return Asked{Challenge: name, Options: options}, err
}

func hashOf(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:]
}

// take gives what was asked, once.
func (s *Service) take(ctx context.Context, name, purpose, owner string) (session webauthn.SessionData, err error) {
	if s.party == nil {
		return session, ErrNowhere
	}
	raw, err := s.Store.Take(ctx, hashOf(name), purpose, owner, s.Now().UTC())
	if err != nil {
		return session, err
	}
	return session, json.Unmarshal(raw, &session)
}

// FinishAdd keeps the passkey that a browser made.
func (s *Service) FinishAdd(ctx context.Context, o Owner, challenge, name, answer string, by audit.Actor) (Passkey, error) {
	session, err := s.take(ctx, challenge, "add_"+string(o.Kind), o.ID)
	if err != nil {
		return Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return Passkey{}, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	made, err := s.party.CreateCredential(person{Owner: o}, session, parsed)
	if err != nil {
		return Passkey{}, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	made.Attestation = webauthn.CredentialAttestation{} // nothing is asked about the maker
	r := Record{Owner: o, Public: *made}
	r.ID, r.Name, r.CreatedAt = uuid.Must(uuid.NewV7()).String(), tidy(name), s.Now().UTC()
	return r.Passkey, s.Store.Add(ctx, r, s.Most.Or(maxPasskeys), s.entry(o, by, "passkey.add", r.ID), letter(o, r.ID))
}

// letter tells the owner of a passkey that it was added: whoever has their sign-in could add one to come back with.
func letter(o Owner, id string) work.SendMail {
	l := work.SendMail{Template: TellAdded, UserID: o.ID, Ref: id}
	if o.Kind == Staff {
		l.Template = staff.LetterPasskey
	}
	return l
}

// tidy is a name that fits a list.
func tidy(name string) string {
	name = strings.Join(strings.Fields(strings.ToValidUTF8(name, "")), " ")
	for utf8.RuneCountInString(name) > maxName {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	if name == "" {
		return "Passkey"
	}
	return name
}

// Of lists the passkeys of somebody, oldest first.
func (s *Service) Of(ctx context.Context, o Owner) ([]Passkey, error) {
	all, err := s.Store.Of(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	list := make([]Passkey, 0, len(all))
	for _, r := range all {
		list = append(list, r.Passkey)
	}
	return list, nil
}

// Rename gives a passkey another name, and says which: one that fits the list.
func (s *Service) Rename(ctx context.Context, o Owner, id, name string, by audit.Actor) (string, error) {
	if uuid.Validate(id) != nil {
		return "", ErrGone
	}
	name = tidy(name)
	return name, s.Store.Rename(ctx, o, id, name, s.entry(o, by, "passkey.rename", id))
}

// Remove takes a passkey away: it signs in no more.
func (s *Service) Remove(ctx context.Context, o Owner, id string, by audit.Actor) error {
	if uuid.Validate(id) != nil {
		return ErrGone
	}
	return s.Store.Remove(ctx, o, id, s.entry(o, by, "passkey.remove", id))
}

func (s *Service) entry(o Owner, by audit.Actor, action, target string) audit.Entry {
	return audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: s.Now().UTC(), By: by, CustomerID: o.CustomerID, Action: action, Target: target,
	}
}

// BeginEnter asks a browser for a passkey to sign in with. It names nobody: the authenticator says who it is.
func (s *Service) BeginEnter(ctx context.Context, k Kind) (Asked, error) {
	if s.party == nil {
		return Asked{}, ErrNowhere
	}
	options, session, err := s.party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return Asked{}, fmt.Errorf("sign in by passkey: %w", err)
	}
	return s.ask(ctx, "enter_"+string(k), "", options.Response, session)
}

// FinishEnter says who signs in.
func (s *Service) FinishEnter(ctx context.Context, k Kind, challenge, answer string) (Owner, error) {
	session, err := s.take(ctx, challenge, "enter_"+string(k), "")
	if err != nil {
		return Owner{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return Owner{}, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	var who Owner
	err = s.Store.Use(ctx, k, parsed.RawID, func(r *Record) error {
		if err := s.verify(r, session, parsed); err != nil {
			return err
		}
		who, r.UsedAt = r.Owner, s.Now().UTC()
		return nil
	})
	return who, err
}

// verify checks an answer: for this hub and challenge, by the key that is kept, by somebody whom the authenticator knew, with a
// counter that went on.
func (s *Service) verify(r *Record, session webauthn.SessionData, answer *protocol.ParsedCredentialAssertionData) error {
	of := person{r.Owner, []webauthn.Credential{r.Public}}
	find := func(_, handle []byte) (webauthn.User, error) {
		if !bytes.Equal(handle, of.WebAuthnID()) {
			return nil, errors.New("handle of somebody else")
		}
		return of, nil
	}
	now, err := s.party.ValidateDiscoverableLogin(find, session, answer)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if now.Authenticator.CloneWarning {
		return ErrCopied
	}
	r.Public = *now
	return nil
}
