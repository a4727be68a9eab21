package main

import (
	"context"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/modelkey"
	"gatehouse/app/provider/openaiorg"
	"gatehouse/app/provider/openaiorg/orgtest"
	"gatehouse/app/server"
)

// shelf keeps one key and what was told about it, and stands in for what a server has reported.
type shelf struct {
	k      modelkey.Key
	ours   []modelkey.Hour
	alerts []string
}

func (s *shelf) Ensure(
	ctx context.Context, _ server.ID, fresh func(context.Context) (modelkey.Key, error),
) (k modelkey.Key, err error) {
	if s.k.Secret != "" {
		return s.k, nil
	}
	if k, err = fresh(ctx); err == nil {
		s.k = k
	}
	return k, err
}

func (s *shelf) All(context.Context) ([]modelkey.Key, error) { return []modelkey.Key{s.k}, nil }

func (s *shelf) Left(context.Context) ([]modelkey.Key, error)      { return []modelkey.Key{s.k}, nil }
func (s *shelf) Ended(context.Context, server.ID, time.Time) error { return nil }
func (s *shelf) Settled(context.Context, server.ID) (bool, error)  { return true, nil }
func (s *shelf) House(_ context.Context, _ server.ID, _, _ time.Time) ([]modelkey.Hour, error) {
	return s.ours, nil
}

func (s *shelf) Compared(_ context.Context, _ server.ID, since time.Time, _ string, _ time.Time) error {
	s.k.Since = since
	return nil
}

func (s *shelf) RaiseOnce(_ context.Context, _ server.ID, a wire.Alert, _, _ time.Time) error {
	s.alerts = append(s.alerts, a.Text)
	return nil
}

// TestModelKeys: a server gets a service account of its own at the provider, the provider's count for that key is held against the
// hub's to the token, and the account goes when the server does.
func TestModelKeys(t *testing.T) {
	t.Parallel()
	org, closes := orgtest.New()
	t.Cleanup(closes)
	began := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	now, s := began, &shelf{}
	keys := &modelkey.Service{
		Provider: openaiorg.New(openaiorg.Options{URL: org.URL, Key: orgtest.AdminKey, Project: orgtest.Project}),
		Store:    s, Meter: s, Alerts: s, Now: func() time.Time { return now },
	}
	org.Fail(500)
	if k, err := keys.For(t.Context(), "s1", "usual"); err == nil || k != "" {
		t.Errorf("the provider has trouble: %q, %v", k, err)
	}
	k, err := keys.For(t.Context(), "s1", "usual")
	if all := org.Accounts(); err != nil || len(all) != 1 || k != all[0].Secret || all[0].Name != "gatehouse s1" {
		t.Fatalf("%q, %v, %+v", k, err, all)
	}
	org.Use(s.k.ID, began, orgtest.Used{Input: 100, Output: 20, Embedded: 7})
	s.ours = []modelkey.Hour{{Start: began.Truncate(time.Hour), Input: 107, Output: 20}}
	now = began.Add(8 * time.Hour)
	if off, err := keys.Reconcile(t.Context()); off != 0 || err != nil || len(s.alerts) != 0 {
		t.Errorf("equal counts: %d, %v, %v", off, err, s.alerts)
	}
	org.Use(s.k.ID, now, orgtest.Used{Output: 1})
	now = now.Add(8 * time.Hour)
	for i := range 2 { // it is told once
		if off, err := keys.Reconcile(t.Context()); off != 1-i || err != nil || len(s.alerts) != 1 {
			t.Errorf("one token more there: %d, %v, %v", off, err, s.alerts)
		}
	}
	if n, err := keys.EndLeft(t.Context()); n != 1 || err != nil || len(org.Accounts()) != 0 {
		t.Errorf("%d ended, %v, left %v", n, err, org.Accounts())
	}
}
