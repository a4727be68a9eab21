package fault

import (
	"database/sql"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestExpiredWhileAway: a person allows while agentd does not listen, agentd is killed, and by the time it is back the
// question has run out. By its own record it is too late: nothing is done, the run ends, and both are on record.
func TestExpiredWhileAway(t *testing.T) {
	h, c := e2e.Start(t)
	q := c.Asked(c.Say("dispatcher", "Delete the old temporary files"))
	before, pid := len(h.Temps(t)), h.Agentd(t)
	e2e.Signal(t, pid, syscall.SIGSTOP)
	c.Allow(q.ID)
	h.Kill(t)
	e2e.Kill(t, pid)
	e2e.Until(t, "agentd is gone", func() bool { return !e2e.Running(pid) })
	runOut(t, h.Server("state", "agentd.db"), q.ID)
	h.Start(t)
	if end := c.End(q.RootRunID); end.Final == nil {
		t.Errorf("the run ended with %v", end.Tail())
	}
	e2e.Until(t, "the hub knows", func() bool { return c.Approval(q.ID).State == wire.ApprovalExpired })
	all := c.Receipts(q.RootRunID)
	if e2e.Count(all, "call.expired", "") != 1 || e2e.Count(all, "call.started", "file_delete") != 0 ||
		e2e.Count(all, "call.approved", "") != 0 {
		t.Errorf("receipts: %v", e2e.Types(all))
	}
	if left := len(h.Temps(t)); left != before || before == 0 {
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
	const expire = "UPDATE gate_approvals SET expires_at = ?, body = json_set(body, '$.expires_at', ?) WHERE id = ? AND state = 'pending'"
	res, err := db.ExecContext(t.Context(), expire, at.Unix(), at.Format(time.RFC3339), id)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		t.Fatalf("%d questions ran out, %v", n, err)
	}
}
