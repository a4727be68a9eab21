package vault_test

import (
	"context"
	"errors"
	"testing"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/wire"
)

// TestAwait_ends: whoever waits hears why the wait ended, also when that interrupted a look at the request, and the
// request stays as it was.
func TestAwait_ends(t *testing.T) {
	t.Parallel()
	w := open(t)
	if _, err := w.Ask(t.Context(), wire.SecretRequest{ID: "call-1", Name: "crm.api_key"}); err != nil {
		t.Fatal(err)
	}
	why := errors.New("the process ends")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if state, err := w.Await(ctx, "call-1"); !errors.Is(err, why) {
		t.Errorf("%q, %v", state, err)
	}
	if r, err := w.Request(t.Context(), "call-1"); err != nil || r.State != vault.Pending {
		t.Errorf("the request is %q, %v", r.State, err)
	}
}
