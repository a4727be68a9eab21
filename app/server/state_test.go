package server_test

import (
	"testing"
	"time"

	"gatehouse/app/server"
)

func TestStateAt(t *testing.T) {
	t.Parallel()
	beat := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		quiet time.Duration
		want  server.State
	}{
		{-time.Second, server.Online}, // a clock was set back
		{0, server.Online},
		{31 * time.Second, server.Online},
		{65 * time.Second, server.Online},
		{66 * time.Second, server.Degraded}, // two missed
		{155 * time.Second, server.Degraded},
		{156 * time.Second, server.Offline}, // five missed
		{24 * time.Hour, server.Offline},
	} {
		if got := server.StateAt(beat, beat.Add(c.quiet)); got != c.want {
			t.Errorf("quiet for %s: %s, want %s", c.quiet, got, c.want)
		}
	}
	if got := server.StateAt(time.Time{}, beat); got != server.New {
		t.Errorf("never heard of: %s", got)
	}
}
