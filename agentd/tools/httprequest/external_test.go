package httprequest_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// TestRun_fromExternalVault: a value that was fetched is put in like any other; one that is gone where it lives is not,
// and the model reads why.
func TestRun_fromExternalVault(t *testing.T) {
	t.Parallel()
	w := open(t)
	ctx := t.Context()
	w.Vault.UseFetched(time.Hour)
	if _, err := w.Vault.SetOrigin(ctx, "crm.api_key", "", "apps/crm#key", "operator"); err != nil {
		t.Fatal(err)
	}
	see := func(value string, trouble vault.Trouble) {
		t.Helper()
		s := vault.Sighting{Followed: vault.Followed{Name: "crm.api_key", Path: "apps/crm", Field: "key", Version: 7, MadeAt: time.Unix(1_700_000_000, 0), Trouble: trouble}, Value: secret.New(value)}
		if err := w.Vault.Follow(ctx, time.Now(), []vault.Sighting{s}); err != nil {
			t.Fatal(err)
		}
	}
	denied := func(words string) {
		t.Helper()
		before := w.crm.count()
		o, _ := w.Do("http_request", get("/api/contacts"))
		if o.State != wire.ToolDenied || !strings.Contains(o.Text, words) || w.crm.count() != before {
			t.Errorf("%+v instead of %q", o, words)
		}
	}
	denied("its value was not fetched from the external vault yet")
	see(canary("fetched"), "")
	o, _ := w.Do("http_request", get("/api/contacts"))
	if _, head := w.crm.last(); o.State != wire.ToolDone || head.Get("X-Api-Key") != canary("fetched") {
		t.Errorf("%+v", o)
	}
	see("", vault.TroubleDestroyed)
	denied("it was destroyed in the external vault")
	if leaks := w.Leaks(canary("fetched")); len(leaks) > 0 {
		t.Errorf("the value lies in %v", leaks)
	}
}
