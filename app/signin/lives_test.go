package signin

import (
	"testing"
	"time"
)

// TestLives: a shorter life ends sign-ins from before, too; a longer one than it comes never holds.
func TestLives(t *testing.T) {
	t.Parallel()
	of := func(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
	shorter := Lives{Customer: of(7 * 24 * time.Hour), Staff: of(8 * time.Hour), Idle: of(10 * time.Minute), Pending: of(3 * time.Minute)}
	longer := Lives{Customer: of(1000 * time.Hour), Staff: of(1000 * time.Hour), Idle: of(1000 * time.Hour), Pending: of(1000 * time.Hour)}
	for k, want := range map[Kind]time.Duration{
		Customer: 7 * 24 * time.Hour, Staff: 8 * time.Hour, Pending: 3 * time.Minute, CustomerPending: 3 * time.Minute,
	} {
		if got := shorter.of(k); got != want {
			t.Errorf("%s: %s, want %s", k, got, want)
		}
		if got := longer.of(k); got != lifeOf(k) {
			t.Errorf("%s: %s, which is longer than it comes", k, got)
		}
	}
	idle := Signin{Kind: Staff, CreatedAt: noon, SeenAt: noon, ExpiresAt: noon.Add(StaffLife)}
	old := Signin{Kind: Customer, CreatedAt: noon, SeenAt: noon.Add(8 * 24 * time.Hour), ExpiresAt: noon.Add(CustomerLife)}
	if shorter.over(idle, noon.Add(9*time.Minute)) || !shorter.over(idle, noon.Add(10*time.Minute)) {
		t.Error("our staff are not signed out when they do nothing")
	}
	if at := noon.Add(8 * 24 * time.Hour); !shorter.over(old, at) || (Lives{}).over(old, at) {
		t.Error("a sign-in from before its life was made shorter goes on, or one ends as it comes")
	}
}
