package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/fault"
	"gatehouse/cmd/hub/dev"
)

// keyPatience is how long a key may take to be known: its server may just be starting again.
const keyPatience = 30 * time.Second

// approver enrols the demo's software key, which API clients sign with, and makes the code for the demo's browser.
func (s *seeding) approver(ctx context.Context) error {
	key, err := s.signer()
	if err != nil {
		return err
	}
	ring, err := s.keys.Of(ctx, s.of)
	if err != nil {
		return err
	}
	if !has(ring, key) {
		if err := s.enrol(ctx, key); err != nil {
			return fmt.Errorf("enrol the demo's approver key: %w", err)
		}
	}
	s.demo.EnrolCode, err = s.host.EnrolCode(ctx, s.demo.ServerID, s.demo.Approver.PrivateKeyPEM)
	return err
}

// signer is the demo's key; a new one is kept before it is used.
func (s *seeding) signer() (wire.Signer, error) {
	if s.demo.Approver.PrivateKeyPEM != "" {
		return wire.ReadSigner(s.demo.Approver.PrivateKeyPEM)
	}
	key, err := wire.NewSigner()
	if err != nil {
		return key, err
	}
	text, err := key.PEM()
	if err != nil {
		return key, err
	}
	s.demo.Approver = dev.Approver{KeyID: key.KeyID, PrivateKeyPEM: text}
	return key, s.save(s.demo)
}

// enrol takes the way that everybody takes: with a code that the server printed.
func (s *seeding) enrol(ctx context.Context, key wire.Signer) error {
	ctx, cancel := context.WithTimeout(ctx, keyPatience)
	defer cancel()
	code, err := s.host.EnrolCode(ctx, s.demo.ServerID, "")
	if err != nil {
		return err
	}
	secret, err := wire.CodeKey(code)
	if err != nil {
		return err
	}
	e := wire.Enrolment{SPKI: key.SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "demo.json", By: wire.DecidedBy{Name: "make run", Role: "owner", Channel: "terminal"}}
	e.Prove(secret, s.demo.ServerID)
	var out wire.Enrolled
	if err := s.patiently(ctx, func() (err error) { out, err = s.keys.Enrol(ctx, s.of, e); return err }); err != nil {
		return err
	}
	if err := out.Proven(secret, s.demo.ServerID); err != nil {
		return err
	}
	s.demo.Approver.CardKey = out.CardKey
	if s.demo.RecoveryCode, err = s.host.RecoveryCode(ctx, s.demo.ServerID); err != nil {
		return err
	}
	return s.reported(ctx, key)
}

// reported waits until the hub has heard from the server that the key counts.
func (s *seeding) reported(ctx context.Context, key wire.Signer) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ring, err := s.keys.Of(ctx, s.of)
		if err != nil || has(ring, key) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func has(r approver.Ring, key wire.Signer) bool {
	return slices.ContainsFunc(r.Keys, func(k wire.ApproverKey) bool { return k.KeyID == key.KeyID })
}

// patiently tries again while the server is away.
func (s *seeding) patiently(ctx context.Context, fn func() error) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := fn()
		if err == nil || fault.Of(err).Kind != fault.Away {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}
