package db_test

import (
	"log/slog"
	"testing"
	"time"

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
		return &setting.Service{Store: &db.Settings{DB: d}, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}
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
	must(t, here.Set(t.Context(), k, "", "It is fast again.", admin))
	all, err := here.List(t.Context())
	must(t, err)
	h := all[0].History
	if all[0].Value != 30 || all[0].Changed || len(h) != 2 {
		t.Fatalf("%+v", all[0])
	}
	if h[0].Was != "45" || h[1].Was != "30" || h[1].Value != "45" || h[1].By != admin.Name {
		t.Errorf("%+v", h)
	}
	of, err := (&db.Audit{DB: d}).Find(t.Context(), audit.Filter{Action: "setting.set"}, page.Ask{})
	must(t, err)
	if len(of.Items) != 1 || of.Items[0].Details["from"] != "30" || of.Items[0].Details["to"] != "45" {
		t.Errorf("on record: %+v", of.Items)
	}
}
