package agentlink_test

import (
	"context"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/team"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// TestTeam_newestBusiness: a change that waits for another one takes over the account as it is when its turn comes, and
// not as it was when it began to wait.
func TestTeam_newestBusiness(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	_, err := h.teams.Current(t.Context(), c.id)
	must(t, err)
	locked, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	go func() {
		_, err := (&db.Configs{DB: h.db}).Change(t.Context(), c.id, time.Now(), func(context.Context, team.State) (*wire.Config, error) {
			close(locked)
			<-release
			return nil, nil
		})
		done <- err
	}()
	<-locked
	go func() {
		_, err := h.teams.Change(t.Context(), c.id, c.origin(), team.DefaultLevel(1))
		done <- err
	}()
	waitFor(t, "the change waits for the lock", func() bool {
		var n int
		must(t, h.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n))
		return n == 1
	})
	_, err = h.db.Pool.Exec(t.Context(), "UPDATE customers SET time_zone = 'Asia/Tokyo' WHERE id = $1", string(c.id))
	must(t, err)
	close(release)
	must(t, <-done)
	must(t, <-done)
	cfg, err := h.teams.Current(t.Context(), c.id)
	if err != nil || cfg.TimeZone != "Asia/Tokyo" || cfg.DefaultLevel != 1 {
		t.Errorf("%+v, %v", cfg, err)
	}
}
