package setting_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/setting"
	"gatehouse/app/staff"
)

// away is a store that gives its values until it is away.
type away struct {
	values setting.Values
	err    error
}

func (a *away) Values(context.Context) (setting.Values, error) {
	if a.err != nil {
		return nil, a.err
	}
	return a.values, nil
}

func (a *away) Set(_ context.Context, c *setting.Change, _ *audit.Entry, fit func(setting.Values, setting.Before) error) error {
	if a.err != nil {
		return a.err
	}
	if err := fit(a.values, nil); err != nil {
		return err
	}
	a.values = setting.Values{c.Key: c.Value}
	return nil
}

func (a *away) History(context.Context, setting.Key, int) ([]setting.Change, error) {
	return nil, a.err
}

// TestService_away: a change is in force at once; a database that is away, also in the middle of one, changes nothing of what is.
func TestService_away(t *testing.T) {
	t.Parallel()
	store, now := &away{values: setting.Values{}}, time.Now()
	s := &setting.Service{Store: store, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}
	by := audit.Actor{Kind: audit.Staff, ID: "one", Name: "one", Role: string(staff.Owner)}
	read := s.Count(setting.LinkKeyDays)
	if read() == 40 {
		t.Fatal("it comes as 40: the test would show nothing")
	}
	if err := s.Set(t.Context(), setting.LinkKeyDays, "40", "a test", by); err != nil || read() != 40 {
		t.Fatalf("set: %v, %d days", err, read())
	}
	store.err = errors.New("the database is away")
	if err := s.Set(t.Context(), setting.LinkKeyDays, "50", "a test", by); err == nil {
		t.Error("a change was kept by a database that is away")
	}
	for range 3 {
		if now = now.Add(time.Hour); read() != 40 {
			t.Fatalf("while the database is away, %d days are in force", read())
		}
	}
}
