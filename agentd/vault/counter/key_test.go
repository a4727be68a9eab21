package counter_test

import (
	"testing"

	"gatehouse/agentd/wire"
)

// TestOpen_noAct tells the key that acts are sealed for, and begins none: looking uses nothing up.
func TestOpen_noAct(t *testing.T) {
	t.Parallel()
	w := open(t)
	act := w.open(wire.MethodSecretsProvide, "shop.api_key")
	for range 1_000 { // more than may be open at once
		o := w.open("", "")
		if o.Nonce != "" || !o.ExpiresAt.IsZero() || o.KeyID != act.KeyID || o.Fingerprint != act.Fingerprint || o.Fingerprint == "" || o.Signature == "" || o.MadeAt.IsZero() {
			t.Fatalf("%+v", o)
		}
	}
	if o := w.open(wire.MethodSecretsProvide, "shop.other_key"); o.Nonce == "" {
		t.Error("no act can be opened")
	}
}
