package counter_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// TestExternal: a secret that comes from the external vault is listed and shown like any other, and changed by nobody
// here; what was refused leaves no receipt as if it had been done.
func TestExternal(t *testing.T) {
	t.Parallel()
	w := open(t)
	const name = "crm.api_key"
	w.Vault.UseFetched(time.Hour)
	if _, err := w.Vault.SetOrigin(t.Context(), name, "", "apps/crm#key", "operator"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.reveal(name, nil); code(err) != "unavailable" || !strings.Contains(err.Error(), "not fetched") {
		t.Errorf("shown before it is there: %v", err)
	}
	see := func(v string, trouble vault.Trouble) {
		t.Helper()
		s := vault.Sighting{Followed: vault.Followed{Name: name, Path: "apps/crm", Field: "key", Version: 4, MadeAt: time.Unix(1_700_000_000, 0), Trouble: trouble}, Value: secret.New(v)}
		if err := w.Vault.Follow(t.Context(), time.Now(), []vault.Sighting{s}); err != nil {
			t.Fatal(err)
		}
	}
	see(value, "")
	for m, params := range map[wire.Method]any{
		wire.MethodSecretsProvide:  wire.SecretProvide{Name: name, By: owner},
		wire.MethodSecretsGenerate: wire.SecretGenerate{Name: name, By: owner},
		wire.MethodSecretsRotate:   wire.SecretRotate{Name: name, By: owner},
		wire.MethodSecretsRollback: wire.SecretRollback{Name: name, Version: 1, By: owner},
	} {
		if err := w.try(m, params); code(err) != "conflict" || !strings.Contains(err.Error(), "another password store") {
			t.Errorf("%s: %v", m, err)
		}
	}
	done, err := receipt.OfRuns(t.Context(), w.DB.Read(), []string{""})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range done {
		if strings.HasPrefix(r.Type, "secret.") {
			t.Errorf("receipt %s of something that was refused", r.Type)
		}
	}
	list, err := ask[wire.SecretsResult](w, wire.MethodSecretsList, struct{}{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Source != vault.FromExternal || list.Items[0].Origin.Version != 4 || list.Items[0].Versions[0].There != 4 {
		t.Errorf("%+v, %v", list, err)
	}
	if got, err := w.reveal(name, nil); err != nil || got != value {
		t.Errorf("shown: %v", err)
	}
	w.kinds(t, "secret.revealed")
	see("", vault.TroubleDeleted)
	if _, err := w.reveal(name, nil); code(err) != "unavailable" || !strings.Contains(err.Error(), "deleted") {
		t.Errorf("shown although it is gone: %v", err)
	}
	var unusable *vault.UnusableError
	if _, err := w.Vault.Own(t.Context(), name, "test"); !errors.As(err, &unusable) {
		t.Error(err)
	}
	if strings.Contains(w.relayed.String(), value) {
		t.Error("the hub saw the value")
	}
}
