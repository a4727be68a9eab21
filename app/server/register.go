package server

import (
	"context"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// tokenLife is how long a registration token works.
const tokenLife = 24 * time.Hour

// Mint makes a new registration token for a server; any older one stops working. The secret exists only in the answer.
func (s *Service) Mint(ctx context.Context, id ID) (string, error) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	secret, now := base64.RawURLEncoding.EncodeToString(b[:]), s.Now().UTC()
	t := Token{Hash: hashSecret(secret), ServerID: id, CreatedAt: now, ExpiresAt: now.Add(tokenLife)}
	if err := s.Store.SetToken(ctx, t); err != nil {
		return "", fmt.Errorf("mint registration token: %w", err)
	}
	return secret, nil
}

// Register takes a server's keys against its one-time token. A server that did not hear the answer may ask again with
// the same token and keys.
func (s *Service) Register(ctx context.Context, r wire.RegisterRequest, address string) (wire.RegisterResponse, error) {
	k, err := keysOf(r)
	if err != nil {
		return wire.RegisterResponse{}, err
	}
	k.Address = address
	srv, err := s.Store.Register(ctx, hashSecret(r.Token), k, s.Now().UTC())
	if err != nil {
		return wire.RegisterResponse{}, fmt.Errorf("register: %w", err)
	}
	config, err := s.Configs.Current(ctx, srv.CustomerID)
	if err != nil {
		return wire.RegisterResponse{}, fmt.Errorf("register: %w", err)
	}
	s.Notify.ServerChanged(ctx, srv.CustomerID, srv.ID)
	return wire.RegisterResponse{
		ServerID: string(srv.ID), Hub: s.Origin, LinkURL: s.LinkURL, Config: config, CommandKey: s.CommandKey(),
	}, nil
}

func keysOf(r wire.RegisterRequest) (Keys, error) {
	bad := map[string]string{}
	public, err := base64.RawURLEncoding.DecodeString(r.PublicKey)
	if err != nil || len(public) != ed25519.PublicKeySize {
		bad["public_key"] = "An Ed25519 public key in base64url without padding is needed."
	}
	seal, err := base64.RawURLEncoding.DecodeString(r.SealKey)
	if err == nil {
		_, err = ecdh.X25519().NewPublicKey(seal)
	}
	if err != nil {
		bad["seal_key"] = "An X25519 public key in base64url without padding is needed."
	}
	if r.Token == "" {
		bad["token"] = "The registration token is missing."
	}
	if utf8.RuneCountInString(r.AgentdVersion) > 100 {
		bad["agentd_version"] = "At most 100 characters."
	}
	if len(bad) > 0 {
		return Keys{}, fault.Bad(bad)
	}
	return Keys{Public: r.PublicKey, KeyID: wire.KeyID(public), Seal: r.SealKey, AgentdVersion: r.AgentdVersion}, nil
}

func hashSecret(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}
