package vault_test

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/store"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// external makes a secret that comes from the external vault, bound to a host.
func (w *world) external(name string) gate.Use {
	w.t.Helper()
	w.UseFetched(time.Hour)
	if _, err := w.SetOrigin(w.t.Context(), name, vault.KindToken, "apps/crm#key", "operator"); err != nil {
		w.t.Fatal(err)
	}
	b := wire.SecretBinding{Tool: "http_request", Scheme: "https", Host: "crm.example.com", Port: 443, Header: "X-Api-Key"}
	if _, err := w.Bind(w.t.Context(), name, []wire.SecretBinding{b}, "", "owner"); err != nil {
		w.t.Fatal(err)
	}
	return gate.Use{Name: name, Tool: b.Tool, Scheme: b.Scheme, Host: b.Host, Port: b.Port, Header: b.Header}
}

// sighting is what the external vault says of it.
func sighting(name string, version int, value string, t vault.Trouble) vault.Sighting {
	made := time.Unix(1_700_000_000+int64(version), 0).UTC()
	return vault.Sighting{Followed: vault.Followed{Name: name, Path: "apps/crm", Field: "key", Version: version, MadeAt: made, Trouble: t}, Value: secret.New(value)}
}

func (w *world) see(s ...vault.Sighting) {
	w.t.Helper()
	if err := w.Follow(w.t.Context(), time.Now(), s); err != nil {
		w.t.Fatal(err)
	}
}

// TestOrigin_life: bound before it has a value, used when it has one, its requests answered, changed here by nobody.
func TestOrigin_life(t *testing.T) {
	t.Parallel()
	w := open(t)
	const name = "crm.api_key"
	if _, err := w.Ask(t.Context(), wire.SecretRequest{ID: "call-1", Name: name}); err != nil {
		t.Fatal(err)
	}
	use := w.external(name)
	var why *tool.Refused
	if err := w.Check(t.Context(), []gate.Use{use}); !errors.As(err, &why) || !strings.Contains(why.Text, "not fetched") {
		t.Errorf("before it is fetched: %v", err)
	}
	if r, err := w.Request(t.Context(), "call-1"); err != nil || r.State != vault.Pending {
		t.Errorf("the request is %q, %v", r.State, err)
	}
	w.see(sighting(name, 3, canary("three"), ""))
	if r, err := w.Request(t.Context(), "call-1"); err != nil || r.State != vault.Provided {
		t.Errorf("the request is %q, %v", r.State, err)
	}
	if err := w.Check(t.Context(), []gate.Use{use}); err != nil {
		t.Error(err)
	}
	elsewhere := use
	elsewhere.Host = "evil.example.com"
	w.see(sighting(name, 3, "", vault.TroubleDeleted))
	if err := w.Check(t.Context(), []gate.Use{elsewhere}); !errors.Is(err, gate.ErrUnbound) {
		t.Errorf("where it is not bound, it says more: %v", err)
	}
	if err := w.Check(t.Context(), []gate.Use{use}); !errors.As(err, &why) || !strings.Contains(why.Text, "deleted") {
		t.Errorf("deleted: %v", err)
	}
	if err := w.again(); err != nil {
		t.Fatal(err)
	}
	if known, err := w.Known(t.Context()); err != nil || !has(known, canary("three")) {
		t.Errorf("redaction has forgotten the value, %v", err)
	}
	if _, err := w.SetOrigin(t.Context(), name, "", "apps/other#key", "operator"); err != nil {
		t.Fatal(err)
	}
	w.see(sighting(name, 4, canary("four"), "")) // of the place that it came from before
	if i, err := w.Info(t.Context(), name); err != nil || i.Origin.Path != "apps/other" || i.Origin.Version != 0 || i.Version != 1 {
		t.Errorf("%+v, %v", i.Origin, err)
	}
}

// TestOrigin_goneMeanwhile: a call that has its lease does not get a value that is gone since.
func TestOrigin_goneMeanwhile(t *testing.T) {
	t.Parallel()
	w := open(t)
	const name = "crm.api_key"
	use := w.external(name)
	w.see(sighting(name, 1, canary("one"), ""))
	var leases []gate.Lease
	err := w.db.Write(t.Context(), func(tx *sql.Tx) (err error) {
		leases, err = w.Grant(t.Context(), tx, gate.Call{ID: "call-1", Agent: "it-admin"}, []gate.Use{use})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := w.Value(t.Context(), "call-1", leases[0]); err != nil || v.Reveal() != canary("one") {
		t.Error(err)
	}
	w.see(sighting(name, 1, "", vault.TroubleMissing))
	var why *vault.UnusableError
	if v, err := w.Value(t.Context(), "call-1", leases[0]); !errors.As(err, &why) || !v.Empty() {
		t.Error(err)
	}
}

// TestOrigin_changedThere: what comes from there is not set, made, rotated, rolled back or imported here, unless the
// operator takes the place.
func TestOrigin_changedThere(t *testing.T) {
	t.Parallel()
	w := open(t)
	const name = "crm.api_key"
	w.external(name)
	w.see(sighting(name, 1, canary("one"), ""))
	w.see(sighting(name, 2, canary("two"), ""))
	ctx, v := t.Context(), secret.New(canary("mine"))
	for what, fn := range map[string]func() error{
		"put":      func() error { _, err := w.Put(ctx, vault.New{Name: name, Value: v}); return err },
		"generate": func() error { _, err := w.Generate(ctx, vault.New{Name: name}, wire.SecretConstraints{}); return err },
		"rotate": func() error {
			_, err := w.Rotate(ctx, nil, vault.Rotation{Name: name, Value: v, By: "owner"})
			return err
		},
		"rollback": func() error { _, err := w.Rollback(ctx, name, 1, "owner"); return err },
		"import": func() error {
			_, err := w.Import(ctx, []byte(name+"="+canary("mine")+"\n"), vault.FromOwner, "owner", "")
			return err
		},
	} {
		if err := fn(); !errors.Is(err, vault.ErrElsewhere) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if known, err := w.Known(ctx); err != nil || len(known) != 2 || has(known, canary("mine")) {
		t.Errorf("%d known, %v", len(known), err)
	}
	i, err := w.Put(ctx, vault.New{Name: name, Value: v, Source: vault.FromOwner, Local: true})
	if err != nil || i.Origin != nil || i.Source != vault.FromOwner || i.Version != 3 {
		t.Errorf("%+v, %v", i, err)
	}
	w.see(sighting(name, 3, canary("three"), ""))
	if got, err := w.Own(ctx, name, "test"); err != nil || got.Reveal() != canary("mine") {
		t.Errorf("the external vault still changes it, %v", err)
	}
	if err := w.Remove(ctx, name, "owner"); err != nil {
		t.Fatal(err)
	}
	if all, err := w.List(ctx); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestOrigin_vouchedFor: where a value comes from, and how old it is, cannot be changed from outside.
func TestOrigin_vouchedFor(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.external("crm.api_key")
	w.see(sighting("crm.api_key", 1, canary("one"), ""))
	w.exec("UPDATE vault_secrets SET meta = replace(meta, 'seen_at\":\"2', 'seen_at\":\"3')")
	if err := w.again(); !errors.Is(err, vault.ErrTampered) || !store.Hard(err) {
		t.Errorf("%v", err)
	}
}

func TestParsePlace(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"crm#key", "apps/crm#api key", "a/b.c/d-e#f/g", "straße#ß"} {
		if p, f, err := vault.ParsePlace(s); err != nil || p+"#"+f != s {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", "#", "crm", "crm#", "#key", "/crm#key", "crm/#key", "a//b#k", "../sys#k", "a/./b#k", "a#b#c", "a\n#k", "a#k\x00", "a\u202e#k", strings.Repeat("a", 600) + "#k"} {
		if _, _, err := vault.ParsePlace(s); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestFollow_killed: killed in the middle of a look, the vault is whole, every secret of a look is of that same look, and
// redaction knows what was used.
func TestFollow_killed(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range followed {
		w.external(fmt.Sprintf("crm.key%d", i))
	}
	last := 0
	for i := range 12 {
		w.stop()
		kill(t, "follow", w.dir, i)
		if err := w.start(); err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		all, err := w.Followed(t.Context())
		if err != nil || len(all) != followed || all[0].Version < last {
			t.Fatalf("kill %d: %+v, %v", i, all, err)
		}
		last = all[0].Version
		for _, k := range all {
			got, err := w.ValueOf(k.Name, 0)
			if k.Version != last || last > 0 && (err != nil || got != canary(fmt.Sprint(k.Name, last))) {
				t.Fatalf("kill %d: %s is of version %d, not %d, or holds something else: %v", i, k.Name, k.Version, last, err)
			}
		}
	}
	if last < 6 {
		t.Errorf("%d looks in 12 lives", last)
	}
}
