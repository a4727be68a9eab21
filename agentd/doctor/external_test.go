package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/doctor"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

// TestCheck_external: from no external vault over one that is away to a value that is gone there.
func TestCheck_external(t *testing.T) {
	t.Parallel()
	in := server(t)
	says := func(state doctor.State, words string) {
		t.Helper()
		f := find(t, in, "external")
		if f.State != state || !strings.Contains(f.Text, words) || (f.Mend == "") != (state == doctor.OK) {
			t.Errorf("%+v instead of %s %q", f, state, words)
		}
	}
	says(doctor.OK, "no secret comes from")
	if err := os.Remove(filepath.Join(in.State, store.File)); err != nil {
		t.Fatal(err)
	}
	says(doctor.OK, "no secret comes from")
	db, err := store.Open(in.State, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	v, err := vault.Open(t.Context(), db, vault.Keys{Dir: in.State}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	v.UseFetched(time.Hour)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	see := func(trouble, general vault.Trouble, value string, at time.Time) {
		t.Helper()
		s := vault.Sighting{Followed: vault.Followed{Name: "crm.api_key", Path: "apps/crm", Field: "key", Version: 1, MadeAt: time.Unix(1_700_000_000, 0), Trouble: trouble}, Value: secret.New(value)}
		ok(v.Follow(t.Context(), at, []vault.Sighting{s}))
		ok(v.Looked(t.Context(), vault.External{Address: "https://vault.example.com", Trouble: general, LookedAt: at}, 0))
	}
	_, err = v.SetOrigin(t.Context(), "crm.api_key", "", "apps/crm#key", "operator")
	ok(err)
	says(doctor.Fail, "told of none")
	ok(v.Looked(t.Context(), vault.External{Address: "https://vault.example.com"}, 0))
	says(doctor.Warn, "not fetched yet")
	now := time.Now()
	see("", "", "canary-doctor-0123456789", now)
	says(doctor.OK, "1 secret comes from the external vault https://vault.example.com")
	for _, trouble := range []vault.Trouble{vault.TroubleAway, vault.TroubleTLS, vault.TroubleRedirect, vault.TroubleSealed, vault.TroubleBusy, vault.TroubleAnswer, vault.TroubleCredential, vault.TroubleLogin} {
		see(trouble, trouble, "", now)
		says(doctor.Warn, trouble.Text())
	}
	see(vault.TroubleDenied, "", "", now)
	says(doctor.Warn, "does not vouch for crm.api_key")
	see("", "", "", now.Add(-3*time.Hour))
	says(doctor.Warn, "not for a long time")
	see(vault.TroubleDeleted, "", "", now)
	see(vault.TroubleAway, vault.TroubleAway, "", now)
	says(doctor.Fail, "crm.api_key (it was deleted in the external vault)")
}
