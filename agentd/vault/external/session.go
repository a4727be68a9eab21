package external

import (
	"context"
	"errors"
	"net/http"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

// longestLease bounds what an answer can claim.
const longestLease = 10 * 365 * 24 * time.Hour

// session is agentd's way in: a token that lives a while and is renewed, or got anew, before it ends.
type session struct {
	c   *client
	cfg Config
	now func() time.Time

	token     secret.Value
	laid      string        // what the token file held when token was read
	since     time.Time     // when the token was got or renewed
	lease     time.Duration // from then on; 0: it does not end
	renewable bool
}

// lease is what is said of a token.
type lease struct {
	Token     string `json:"client_token"`
	Seconds   *int64 `json:"lease_duration"` // 0: it does not end
	Renewable bool   `json:"renewable"`
}

// authAnswer is the answer to a login and to a renewal.
type authAnswer struct {
	Auth lease `json:"auth"`
}

// ready gives a token that holds until the next look. Every error is an *Error.
func (s *session) ready(ctx context.Context) (secret.Value, error) {
	if s.cfg.TokenFile != "" {
		if s.over() {
			s.laid = "" // somebody else may have renewed it
		}
		if err := s.readToken(ctx); err != nil {
			return secret.Value{}, err
		}
	}
	if s.token.Empty() || s.over() {
		if err := s.anew(ctx); err != nil {
			return secret.Value{}, err
		}
	}
	if s.due() {
		if err := s.extend(ctx); err != nil && s.over() {
			return secret.Value{}, err
		}
	}
	return s.token, nil
}

// over says whether the token has ended; due, whether it would end before the look after the next.
func (s *session) over() bool { return s.lease != 0 && s.now().Sub(s.since) >= s.lease }

func (s *session) due() bool {
	age := s.now().Sub(s.since)
	return s.lease != 0 && (age >= s.lease*2/3 || age+2*s.cfg.Every >= s.lease)
}

// again gets a new token when the external vault does not know this one anymore. The answer TroubleDenied says that it
// does, or that there is no other: a secret was refused, not the token.
func (s *session) again(ctx context.Context) (secret.Value, error) {
	if s.cfg.TokenFile == "" {
		var out struct{}
		err := s.c.ask(ctx, http.MethodGet, "auth/token/lookup-self", s.token, nil, &out)
		if troubleOf(err) == vault.TroubleDenied {
			err = s.anew(ctx)
		} else if err == nil {
			err = &Error{Trouble: vault.TroubleDenied}
		}
		switch troubleOf(err) {
		case "":
			return s.token, nil
		case vault.TroubleDenied, vault.TroubleLogin, vault.TroubleCredential:
		default:
			return secret.Value{}, err
		}
	}
	return secret.Value{}, &Error{Trouble: vault.TroubleDenied}
}

// anew gets a token by AppRole. The one of a file is changed by whoever writes the file.
func (s *session) anew(ctx context.Context) error {
	if s.cfg.TokenFile != "" {
		return &Error{Trouble: vault.TroubleLogin}
	}
	id, err := readCredential(s.cfg.SecretIDFile)
	if err != nil {
		return err
	}
	var out authAnswer
	in := map[string]string{"role_id": s.cfg.RoleID, "secret_id": id}
	if err := s.c.ask(ctx, http.MethodPost, "auth/"+escaped(s.cfg.Login)+"/login", secret.Value{}, in, &out); err != nil {
		return atDoor(err)
	}
	if !isToken(out.Auth.Token) {
		return &Error{Trouble: vault.TroubleLogin} // it wants more of us, such as a second factor
	}
	if err := s.begin(out.Auth, 0); err != nil {
		return err
	}
	s.token = secret.New(out.Auth.Token)
	return nil
}

// readToken takes the token of the file, and asks how long it lives when it is another one than before.
func (s *session) readToken(ctx context.Context) error {
	laid, err := readCredential(s.cfg.TokenFile)
	if err != nil || laid == s.laid {
		return err
	}
	var out struct {
		Data struct {
			TTL       *int64 `json:"ttl"`
			Renewable bool   `json:"renewable"`
		} `json:"data"`
	}
	if err := s.c.ask(ctx, http.MethodGet, "auth/token/lookup-self", secret.New(laid), nil, &out); err != nil {
		return atDoor(err)
	}
	if err := s.begin(lease{Seconds: out.Data.TTL, Renewable: out.Data.Renewable}, 0); err != nil {
		return err
	}
	s.token, s.laid = secret.New(laid), laid
	return nil
}

// extend renews the token. One that cannot be renewed is got anew where agentd can do that; else it is used to its end.
func (s *session) extend(ctx context.Context) error {
	err := error(&Error{Trouble: vault.TroubleLogin})
	if s.renewable {
		var out authAnswer
		if err = s.c.ask(ctx, http.MethodPost, "auth/token/renew-self", s.token, struct{}{}, &out); err == nil {
			return s.begin(out.Auth, 1)
		}
	}
	if s.cfg.TokenFile != "" || troubleOf(err).General() && troubleOf(err) != vault.TroubleLogin {
		return atDoor(err)
	}
	return s.anew(ctx)
}

// begin takes note of how long the token lives, least seconds at least: one that was renewed has an end. An answer that
// does not say makes no token live for ever.
func (s *session) begin(l lease, least int64) error {
	if l.Seconds == nil || *l.Seconds < least {
		return &Error{Trouble: vault.TroubleAnswer}
	}
	s.lease = time.Duration(min(*l.Seconds, int64(longestLease/time.Second))) * time.Second
	s.since, s.renewable = s.now(), l.Renewable
	return nil
}

// atDoor turns what a refused login or lookup says into what it means: there is no secret that it could be about.
func atDoor(err error) error {
	var e *Error
	if errors.As(err, &e) && (e.Trouble == vault.TroubleDenied || e.Trouble == vault.TroubleMissing || e.Status == http.StatusBadRequest) {
		return &Error{Trouble: vault.TroubleLogin, Status: e.Status}
	}
	return err
}
