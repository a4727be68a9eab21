package e2e

import (
	"database/sql"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"gatehouse/agentd/wire"
)

// TestExpiredWhileAway: a person allows while agentd does not listen, agentd is killed, and by the time it is back the
// question has run out. By its own record it is too late: nothing is done, the run ends, and both are on record.
func TestExpiredWhileAway(t *testing.T) {
	h, c := parallelHub(t)
	q := c.asked(c.say("dispatcher", "Delete the old temporary files"))
	before, pid := len(h.temps(t)), h.agentd(t)
	signal(t, pid, syscall.SIGSTOP)
	c.allow(q.ID)
	h.kill(t)
	killNow(t, pid)
	until(t, "agentd is gone", func() bool { return !running(pid) })
	runOut(t, h.server("state", "agentd.db"), q.ID)
	h.start(t)
	if end := c.end(q.RootRunID); end.final == nil {
		t.Errorf("the run ended with %v", end.tail())
	}
	until(t, "the hub knows", func() bool { return c.approval(q.ID).State == wire.ApprovalExpired })
	all := c.receipts(q.RootRunID)
	if count(all, "call.expired", "") != 1 || count(all, "call.started", "file_delete") != 0 || count(all, "call.approved", "") != 0 {
		t.Errorf("receipts: %v", types(all))
	}
	if left := len(h.temps(t)); left != before || before == 0 {
		t.Errorf("%d of %d files are left", left, before)
	}
}

// runOut puts the end of a question into the past, in the database of an agentd that is not running: a day goes by.
func runOut(t *testing.T, path, id string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)") // the last of its threads may still hold it
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	at := time.Now().UTC().Add(-time.Second).Truncate(time.Second)
	res, err := db.ExecContext(t.Context(), "UPDATE gate_approvals SET expires_at = ?, body = json_set(body, '$.expires_at', ?) WHERE id = ? AND state = 'pending'",
		at.Unix(), at.Format(time.RFC3339), id)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		t.Fatalf("%d questions ran out, %v", n, err)
	}
}
