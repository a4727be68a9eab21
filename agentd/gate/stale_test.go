package gate_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/wire"
)

// revoke takes the right to allow from a key, which the owner signs.
func (b *bench) revoke(key string) {
	b.t.Helper()
	body, err := json.Marshal(wire.RevokeBody{KeyID: key})
	if err != nil {
		b.t.Fatal(err)
	}
	sum := sha256.Sum256(body)
	at := b.clock.now().Truncate(time.Second)
	sig, err := gatetest.Signer().Sign(wire.ChangeText(gatetest.ServerID, wire.ChangeRevoke, hex.EncodeToString(sum[:]), 0, at), at)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.Keys.Revoke(b.t.Context(), wire.Revocation{KeyID: key, Signature: sig}); err != nil {
		b.t.Fatal(err)
	}
}

// signed delivers a decision that the owner of a key has signed.
func (b *bench) signed(by wire.Signer, d wire.Decision) {
	b.t.Helper()
	if err := gatetest.SignWith(by, &d, b.clock.now()); err != nil {
		b.t.Fatal(err)
	}
	if err := b.Deliver(d); err != nil {
		b.t.Fatal(err)
	}
}

// TestStale_window: what lets a call through may end between the decision and the start. The start is held to what is true
// in its own transaction, and the call decided again.
func TestStale_window(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(b *bench, approval, key string) (err error){
		"nothing happens": func(*bench, string, string) error { return nil },
		"it is closed": func(b *bench, approval, _ string) error {
			return b.Gate.CloseWindow(context.Background(), wire.WindowClose{ApprovalID: approval})
		},
		"it runs out": func(b *bench, _, _ string) error {
			b.clock.move(16 * time.Minute)
			return nil
		},
		"its key is revoked": func(b *bench, _, key string) error {
			b.revoke(key)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			phone := b.trusted(wire.HolderPerson)
			f, a := b.ask(b.call("act", "red", ""))
			d := gatetest.Answer(a, wire.AllowWindow)
			d.Minutes = 15
			b.signed(phone, d)
			b.wantState(f.end(t), wire.ToolDone)
			err := b.Gate.StartAfter(t.Context(), b.call("act", "red", ""), "", func() {
				if err := between(b, a.ID, phone.KeyID); err != nil {
					t.Error(err)
				}
			})
			if stale := name != "nothing happens"; errors.Is(err, gate.ErrStale) != stale || !stale && err != nil {
				t.Errorf("the start answers %v", err)
			}
		})
	}
}

// TestStale_answer is the same of a call that a person has allowed.
func TestStale_answer(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(b *bench, key string){
		"nothing happens":    func(*bench, string) {},
		"its time runs out":  func(b *bench, _ string) { b.clock.move(25 * time.Hour) },
		"its key is revoked": func(b *bench, key string) { b.revoke(key) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			phone := b.trusted(wire.HolderPerson)
			c := b.call("act", "red", "")
			_, a := b.ask(c)
			b.restart() // the answer comes while nobody waits for it
			b.signed(phone, gatetest.Answer(a, wire.AllowOnce))
			err := b.Gate.StartAfter(t.Context(), c, a.ID, func() { between(b, phone.KeyID) })
			if stale := name != "nothing happens"; errors.Is(err, gate.ErrStale) != stale || !stale && err != nil {
				t.Errorf("the start answers %v", err)
			}
		})
	}
}

// TestStale_revoked: a call that was allowed with a key which was revoked before it started is asked again, also in the
// next life of the process.
func TestStale_revoked(t *testing.T) {
	t.Parallel()
	b := open(t)
	phone := b.trusted(wire.HolderPerson)
	c := b.call("act", "red", "")
	_, a := b.ask(c)
	b.restart()
	b.signed(phone, gatetest.Answer(a, wire.AllowOnce))
	b.revoke(phone.KeyID)
	b.restart()
	f, again := b.ask(c)
	if again.ID == a.ID || again.WhyAsked != "asked again: the key that signed the answer was revoked" {
		t.Errorf("asked because %q", again.WhyAsked)
	}
	b.wantRan(c.ID, 0)
	b.decide(gatetest.Answer(again, wire.AllowOnce))
	b.wantState(f.end(t), wire.ToolDone)
	b.wantRan(c.ID, 1)
}
