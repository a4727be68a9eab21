package external_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/vault"
)

// count says how often a path was asked for since the last time.
func (w *world) count(part string) (n int) {
	for _, q := range w.kv.Asked() {
		if strings.Contains(q, part) {
			n++
		}
	}
	return n
}

// refusesNot expects that the value may be used, whatever it is.
func (w *world) refusesNot() {
	w.t.Helper()
	if _, err := w.Own(w.t.Context(), name, "test"); err != nil {
		w.t.Fatal(err)
	}
}

// trouble expects what is said of the secret, and that the value is used all the same.
func (w *world) trouble(want vault.Trouble) {
	w.t.Helper()
	if got := w.info().Origin.Trouble; got != want.Text() {
		w.t.Fatalf("it says %q instead of %q:\n%s", got, want.Text(), w.logged())
	}
}

// always expects, five times and a minute apart, that the external vault vouches for the secret.
func (w *world) always() {
	w.t.Helper()
	for range 5 {
		w.look()
		w.trouble("")
		w.move(time.Minute)
	}
}

// TestRole: agentd signs in by AppRole, renews its token before it ends, and signs in anew when it can be renewed no
// more. It does none of that in between.
func TestRole(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	w.byRole(20*time.Minute, time.Hour)
	logins, renewals := 0, 0
	for range 180 { // three hours
		w.look()
		w.trouble("")
		for _, q := range w.kv.Asked() {
			switch {
			case strings.HasSuffix(q, "/login"):
				logins++
			case strings.HasSuffix(q, "/renew-self"):
				renewals++
			}
		}
		w.move(time.Minute)
	}
	if logins < 3 || logins > 5 || renewals < 6 || renewals > 20 {
		t.Errorf("%d logins, %d renewals in three hours", logins, renewals)
	}
}

// TestRole_short: a token that lives shorter than the time between two looks is got anew.
func TestRole_short(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	w.byRole(30*time.Second, 30*time.Second)
	w.always()
}

// TestRole_revoked: a token that was taken back is replaced within the look; a role that was taken back is told.
func TestRole_revoked(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.put()
	roleID := w.byRole(time.Hour, 0)
	w.look()
	w.kv.Revoke()
	w.look()
	w.trouble("")
	w.kv.Dismiss(roleID)
	w.kv.Revoke()
	w.look()
	w.trouble(vault.TroubleDenied)
	w.move(2 * time.Hour)
	w.look()
	w.trouble(vault.TroubleLogin)
	w.uses(first)
}

// TestRole_deniedPath: a path that no policy allows costs no logins, and the other secrets nothing.
func TestRole_deniedPath(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.byRole(time.Hour, 0)
	w.source("a.closed", "apps/closed#x")
	w.source("a.closed2", "apps/closed2#x")
	w.kv.Put("apps/closed", map[string]any{"x": "y"})
	w.kv.Deny("apps/closed", true)
	w.kv.Deny("apps/closed2", true)
	for range 5 {
		first := w.put()
		w.look()
		w.uses(first)
	}
	logins, questions := 0, 0
	for _, q := range w.kv.Asked() {
		switch {
		case strings.HasSuffix(q, "/login"):
			logins++
		case strings.HasSuffix(q, "/lookup-self"):
			questions++
		}
	}
	if logins != 1 || questions != 5 {
		t.Errorf("%d logins, and %d questions whether the token holds, in 5 looks", logins, questions)
	}
	if i, err := w.Info(t.Context(), "a.closed"); err != nil || i.Origin.Trouble != vault.TroubleDenied.Text() {
		t.Errorf("%+v, %v", i.Origin, err)
	}
	w.kv.Deny("apps/closed", false)
	w.look()
	if _, err := w.Own(t.Context(), "a.closed", "test"); err != nil {
		t.Error(err)
	}
}

// TestToken_renewed: the token of a file is renewed as long as that goes; another one in the file is taken at once.
func TestToken_renewed(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	token := w.kv.Token(10*time.Minute, time.Hour, true)
	w.file("token", token, 0o600)
	for range 55 {
		w.look()
		w.trouble("")
		w.move(time.Minute)
	}
	if n := w.count("/renew-self"); n < 5 {
		t.Errorf("%d renewals", n)
	}
	w.move(10 * time.Minute)
	w.look()
	w.trouble(vault.TroubleLogin)
	next := w.kv.Token(10*time.Minute, 0, false)
	w.file("token", next, 0o600)
	w.look()
	w.trouble("")
	if where := w.leaks(token, next); len(where) > 0 {
		t.Errorf("a token stands in %v", where)
	}
}

// TestToken_short: a token of a file that lives little longer than the time between two looks is renewed at each.
func TestToken_short(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	w.file("token", w.kv.Token(110*time.Second, 0, true), 0o600)
	w.always()
}

// TestToken_early: a token is renewed while there is time for more than one try.
func TestToken_early(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	w.file("token", w.kv.Token(time.Hour, 0, true), 0o600)
	w.look()
	w.move(41 * time.Minute)
	w.look()
	if n := w.count("/renew-self"); n != 1 {
		t.Errorf("%d renewals", n)
	}
}

// TestToken_rubbish: an answer that does not say how long a token lives makes none live for ever.
func TestToken_rubbish(t *testing.T) {
	t.Parallel()
	for what, body := range map[string]string{
		"nothing":    `{}`,
		"null":       `{"data":null,"auth":null}`,
		"no time":    `{"data":{"renewable":true},"auth":{"client_token":"x","renewable":true}}`,
		"no end":     `{"auth":{"client_token":"x","lease_duration":0}}`,
		"below zero": `{"data":{"ttl":-1},"auth":{"client_token":"x","lease_duration":-1}}`,
	} {
		t.Run("renewal, "+what, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.put()
			w.file("token", w.kv.Token(10*time.Minute, 0, true), 0o600)
			w.look()
			w.kv.Say("/renew-self", body)
			w.move(9 * time.Minute)
			w.look()
			w.trouble("") // there is time for another try
			w.kv.Asked()
			w.look()
			if w.count("/renew-self") != 1 {
				t.Error("what was no renewal is taken for one")
			}
			w.move(2 * time.Minute)
			w.look()
			w.trouble(vault.TroubleLogin)
		})
		if what == "no end" {
			continue // the root's token has none
		}
		t.Run("lookup, "+what, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			first := w.put()
			w.look()
			w.kv.Say("/lookup-self", body)
			w.file("token", w.kv.Token(10*time.Minute, 0, true), 0o600)
			w.look()
			w.trouble(vault.TroubleAnswer)
			w.uses(first)
			w.kv.Say("", "")
			w.look()
			w.trouble("")
		})
	}
}

// TestToken_byOthers: a token that agentd may not renew, and somebody else does.
func TestToken_byOthers(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	token := w.kv.Token(10*time.Minute, 0, false)
	w.file("token", token, 0o600)
	w.look()
	w.move(9 * time.Minute)
	w.kv.Prolong(token, 10*time.Minute)
	w.move(2 * time.Minute)
	w.look()
	w.trouble("")
}

// TestCredential_files: files that are missing, empty, not text or readable for others.
func TestCredential_files(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	w.look()
	good, err := os.ReadFile(w.cfg.TokenFile)
	w.fail(err)
	for what, spoil := range map[string]func(){
		"wide":       func() { w.file("token", string(good), 0o640) },
		"empty":      func() { w.file("token", "\n", 0o600) },
		"two words":  func() { w.file("token", "a b", 0o600) },
		"two lines":  func() { w.file("token", "a\r\nX-Evil: b", 0o600) },
		"very long":  func() { w.file("token", strings.Repeat("a", 10<<10), 0o600) },
		"not there":  func() { w.fail(os.Remove(w.cfg.TokenFile)) },
		"a folder":   func() { w.fail(os.RemoveAll(w.cfg.TokenFile)); w.fail(os.Mkdir(w.cfg.TokenFile, 0o700)) },
		"a dead end": func() { w.fail(os.RemoveAll(w.cfg.TokenFile)); w.fail(os.Symlink("/dev/zero", w.cfg.TokenFile)) },
	} {
		spoil()
		w.look()
		if got := w.info().Origin.Trouble; got != vault.TroubleCredential.Text() {
			t.Errorf("%s: it says %q", what, got)
		}
		w.refusesNot()
		w.fail(os.RemoveAll(w.cfg.TokenFile))
		w.file("token", string(good), 0o600)
		w.look()
		w.trouble("")
	}
}

// TestRole_credentials: neither secret id nor token comes into a file of agentd's or its log.
func TestRole_credentials(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	w.byRole(time.Hour, 0)
	id, err := os.ReadFile(w.cfg.SecretIDFile)
	w.fail(err)
	w.look()
	w.kv.Dismiss(w.cfg.RoleID)
	w.move(2 * time.Hour)
	w.look()
	w.trouble(vault.TroubleLogin)
	if where := w.leaks(strings.TrimSpace(string(id))); len(where) > 0 {
		t.Errorf("the secret id stands in %v", where)
	}
}
