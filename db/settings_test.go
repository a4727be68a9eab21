package db_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/setting"
	"gatehouse/db"
)

// TestSettings: a change is in force at once here and within seconds in another process, is kept with its reason and on record, and is
// taken back; what does not fit, is the same or comes from somebody who may not changes nothing.
func TestSettings(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	now := t0
	hub := func() *setting.Service {
		return &setting.Service{
			Store: &db.Settings{DB: d, Keys: keyring(t, 7)}, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
		}
	}
	here, there := hub(), hub()
	admin := audit.Actor{Kind: audit.Staff, ID: id(t), Name: "admin@example.com", Role: "ADMIN"}
	const k = setting.OrderPromise
	for _, s := range []*setting.Service{here, there} {
		if got := s.Minutes(k); got != 30*time.Minute {
			t.Fatalf("as it comes: %s", got)
		}
	}
	must(t, here.Set(t.Context(), k, " 45 ", "The new provider is slow.", admin))
	if here.Minutes(k) != 45*time.Minute {
		t.Error("not in force where it was changed")
	}
	if now = now.Add(2 * time.Second); there.Minutes(k) != 45*time.Minute {
		t.Error("not in force elsewhere")
	}
	for situation, c := range map[string]struct {
		key           setting.Key
		value, reason string
		by            audit.Actor
		kind          fault.Kind
	}{
		"too much":        {k, "1441", "why", admin, fault.Invalid},
		"no number":       {k, "soon", "why", admin, fault.Invalid},
		"no reason":       {k, "50", " ", admin, fault.Invalid},
		"the same":        {k, "45", "why", admin, fault.Conflict},
		"no such setting": {"x", "1", "why", admin, fault.NotFound},
		"a manager":       {k, "50", "why", audit.Actor{Kind: audit.Staff, Role: "MANAGER"}, fault.Forbidden},
	} {
		if err := here.Set(t.Context(), c.key, c.value, c.reason, c.by); err == nil || fault.Of(err).Kind != c.kind {
			t.Errorf("%s: %v", situation, err)
		}
	}
	must(t, here.Reset(t.Context(), k, "It is fast again.", admin))
	now2, err := here.One(t.Context(), k)
	must(t, err)
	h := now2.History
	if now2.Value != "30" || now2.Changed || len(h) != 2 {
		t.Fatalf("%+v", now2)
	}
	if h[0].Was != "45" || h[0].Now != "30" || h[0].Kept {
		t.Errorf("the reset: %+v", h[0])
	}
	if h[1].Was != "30" || h[1].Value != "45" || h[1].By != admin.Name {
		t.Errorf("the change: %+v", h[1])
	}
	must(t, here.Undo(t.Context(), k, "It is slow after all.", admin))
	if got := here.Minutes(k); got != 45*time.Minute {
		t.Errorf("after undo: %s", got)
	}
	of, err := (&db.Audit{DB: d}).Find(t.Context(), audit.Filter{Action: "setting.set"}, page.Ask{})
	must(t, err)
	if len(of.Items) != 2 || of.Items[1].Details["from"] != "30" || of.Items[1].Details["to"] != "45" {
		t.Errorf("on record: %+v", of.Items)
	}
}

// TestSettings_secret: a secret value is in force and stands sealed in the database, nowhere in clear: neither in its row, nor in the
// history, nor on record. Without its key it is as it comes. An undone change brings the former one back.
func TestSettings_secret(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	const first, second = "swordfish-of-the-test", "haddock-of-the-test"
	s := &setting.Service{Store: &db.Settings{DB: d, Keys: keyring(t, 7)}, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	admin := audit.Actor{Kind: audit.Staff, ID: id(t), Name: "admin@example.com", Role: "ADMIN"}
	const k = setting.MailPassword
	must(t, s.Set(t.Context(), k, first, "A new server.", admin))
	must(t, s.Set(t.Context(), k, second, "It was told to somebody.", admin))
	if got := s.Text(k)(); got != second {
		t.Errorf("in force: %q", got)
	}
	n, err := s.One(t.Context(), k)
	must(t, err)
	if len(n.History) != 2 {
		t.Fatalf("history: %+v", n.History)
	}
	if n.Value != "" || !n.Set || n.History[0].Value != "" || n.History[1].Was != setting.SecretUnset {
		t.Errorf("told: %+v", n)
	}
	for _, table := range []string{"setting_changes", "audit_log"} {
		var text string
		q := d.NewSelect().ColumnExpr("coalesce(string_agg(t::text, ' '), '')").TableExpr("? AS t", bun.Ident(table))
		must(t, q.Scan(t.Context(), &text))
		if strings.Contains(text, first) || strings.Contains(text, second) || !strings.Contains(text, string(k)) {
			t.Errorf("%s holds %s", table, text)
		}
	}
	stranger := &setting.Service{Store: &db.Settings{DB: d, Keys: keyring(t, 8)}, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	if got := stranger.Text(k)(); got != "" {
		t.Errorf("without its key: %q", got)
	}
	// With another key file, the former values do not open: a new one can be set, and taken back to as it comes; undo is refused.
	if err := stranger.Undo(t.Context(), k, "It was nobody.", admin); !errors.Is(err, db.ErrSealed) {
		t.Errorf("undone without its key: %v", err)
	}
	must(t, s.Undo(t.Context(), k, "It was nobody.", admin))
	if got := s.Text(k)(); got != first {
		t.Errorf("after undo: %q", got)
	}
	must(t, stranger.Set(t.Context(), k, second, "Another key file.", admin))
	if got := stranger.Text(k)(); got != second {
		t.Errorf("set without the former key: %q", got)
	}
	must(t, stranger.Reset(t.Context(), k, "Another key file.", admin))
}

// TestSettings_together: what does not fit other settings is refused, and the environment gives defaults that our staff may change.
func TestSettings_together(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	s := &setting.Service{
		Store: &db.Settings{DB: d, Keys: keyring(t, 7)}, Env: setting.Values{setting.MailServer: "mail.example.com:587"}, Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	}
	admin := audit.Actor{Kind: audit.Staff, ID: id(t), Name: "admin@example.com", Role: "ADMIN"}
	for k, v := range map[setting.Key]string{
		setting.DegradedBeats: "5", setting.ProviderDefault: "hetzner", setting.ProviderChoice: "eu=hetzner",
		setting.CompanyHours: "Mondays", setting.MailServer: "", setting.StaffHours: "13", setting.OrderMode: "BOTH",
		setting.OrdersOpen: "perhaps", setting.CompanyEmail: "x",
	} {
		if err := s.Set(t.Context(), k, v, "why", admin); fault.Of(err).Kind != fault.Invalid || len(fault.Of(err).Fields) != 1 {
			t.Errorf("%s = %q: %v", k, v, err)
		}
	}
	if err := s.Undo(t.Context(), setting.OrderMode, "why", admin); !errors.Is(err, setting.ErrNoUndo) {
		t.Errorf("undone what never was: %v", err)
	}
	if got := s.Text(setting.MailServer)(); got != "mail.example.com:587" {
		t.Errorf("as the environment says: %q", got)
	}
	must(t, s.Set(t.Context(), setting.MailServer, "other.example.com:25", "moved", admin))
	n, err := s.One(t.Context(), setting.MailServer)
	must(t, err)
	if n.Value != "other.example.com:25" || n.Usual != "mail.example.com:587" || !n.FromEnv || !n.Changed {
		t.Errorf("%+v", n)
	}
}
