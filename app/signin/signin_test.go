package signin

import (
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func TestSignin_Live(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind Kind
		seen time.Duration // after the sign-in
		at   time.Duration // after the sign-in
		want bool
	}{
		"customer, idle for a week":            {Customer, 0, 7 * 24 * time.Hour, true},
		"customer, just before the end":        {Customer, 0, CustomerLife - time.Second, true},
		"customer, at the end":                 {Customer, CustomerLife, CustomerLife, false},
		"staff, idle just under half an hour":  {Staff, 0, StaffIdle - time.Second, true},
		"staff, idle half an hour":             {Staff, 0, StaffIdle, false},
		"staff, busy for hours":                {Staff, 11 * time.Hour, 11*time.Hour + time.Minute, true},
		"staff, busy but at the absolute end":  {Staff, StaffLife, StaffLife, false},
		"second step, in time":                 {Pending, 0, PendingLife - time.Second, true},
		"second step, too late":                {Pending, 0, PendingLife, false},
		"second step does not live like staff": {Pending, PendingLife, StaffIdle - time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Signin{Kind: c.kind, CreatedAt: noon, SeenAt: noon.Add(c.seen), ExpiresAt: noon.Add(lifeOf(c.kind))}
			if got := s.Live(noon.Add(c.at)); got != c.want {
				t.Errorf("Live = %v, want %v", got, c.want)
			}
		})
	}
}

func TestSignin_Fresh(t *testing.T) {
	t.Parallel()
	s := Signin{FreshAt: noon}
	if !s.Fresh(noon.Add(FreshFor-time.Second)) || s.Fresh(noon.Add(FreshFor)) {
		t.Error("a sign-in is fresh for ten minutes, not less and not more")
	}
}

func TestNewSecret_neverTwiceAndLong(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		s := newSecret()
		if len(s) != 43 || seen[s] {
			t.Fatalf("secret %q is short or was there before", s)
		}
		seen[s] = true
	}
}

func TestCut_keepsCharactersWhole(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"short": "short", strings.Repeat("é", 3): "éé", "a\xffb": "a\uFFFDb", "abc\xff": "abc"} {
		if got := cut(in, 5); got != want {
			t.Errorf("cut(%q, 5) = %q, want %q", in, got, want)
		}
	}
}
