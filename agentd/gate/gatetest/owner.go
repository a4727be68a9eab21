package gatetest

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// Signer is the owner's approver key, which every World trusts. It is made anew in each process.
var Signer = sync.OnceValue(func() wire.Signer {
	s, err := wire.NewSigner()
	if err != nil {
		panic(err) // there is no test without it
	}
	return s
})

// Sign puts the owner's signature on a decision, as the owner's browser does.
func Sign(d *wire.Decision, at time.Time) error { return SignWith(Signer(), d, at) }

// SignWith puts a signature of any key on a decision. What is no JSON is signed as if it were not there.
func SignWith(s wire.Signer, d *wire.Decision, at time.Time) (err error) {
	at = at.UTC().Truncate(time.Second)
	text := wire.DecisionText(d.Digest, d.Verb, d.Minutes, hash(d.Scope), hash(d.Args), at)
	d.Signature, err = s.Sign(text, at)
	return err
}

func hash(raw []byte) string {
	if h, err := canonical.Hash(raw); err == nil {
		return h
	}
	return wire.Nothing
}

// trust makes the owner's key count in this world, also when another process of the test opened it before.
func (w *World) trust(now time.Time) error {
	return w.DB.Write(context.Background(), func(tx *sql.Tx) error {
		known, err := approver.List(context.Background(), tx)
		same := func(k wire.ApproverKey) bool { return k.KeyID == Signer().KeyID }
		if err != nil || slices.ContainsFunc(known, same) {
			return err
		}
		return w.Keys.Trust(context.Background(), tx, wire.ApproverKey{
			SPKI: Signer().SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "test", AddedBy: "test", CreatedAt: now,
		})
	})
}
