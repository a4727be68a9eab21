package gate_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/wire"
)

// TestDo_rulesFlip changes the rules while many calls are on their way. Each that ran did so under a version that
// allowed it, and that was in force when its intent was written.
func TestDo_rulesFlip(t *testing.T) {
	t.Parallel()
	b := open(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var calls []gate.Call
	for range 200 {
		c := b.call("act", "red", "")
		c.Level = 3
		calls = append(calls, c)
	}
	var all sync.WaitGroup
	for _, c := range calls {
		all.Go(func() {
			if _, err := b.Gate.Do(ctx, c, nil); err != nil {
				t.Errorf("call %s: %v", c.ID, err)
			}
		})
	}
	for v := range int64(40) { // odd versions let red calls run, even ones ask
		b.configure(wire.Config{Version: v + 1, DefaultLevel: 1 + 2*int((v+1)%2)})
	}
	stop()
	all.Wait()
	ran := b.startedUnder()
	effects, err := b.ledger.Effects()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range effects {
		if v, ok := ran[e.CallID]; !ok || v%2 == 0 {
			t.Errorf("call %s ran under version %d (on record: %v)", e.CallID, v, ok)
		}
	}
	b.inForce(ran)
}

// startedUnder reads the version under which each call was started.
func (b *bench) startedUnder() map[string]int64 {
	b.t.Helper()
	rows, err := b.DB.Read().QueryContext(b.t.Context(), "SELECT call_id, body FROM receipts WHERE type = 'call.started'")
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	all := map[string]int64{}
	for rows.Next() {
		var call, body string
		var in struct {
			Version int64 `json:"policy_version"`
		}
		if err := rows.Scan(&call, &body); err != nil {
			b.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			b.t.Fatal(err)
		}
		all[call] = in.Version
	}
	if err := rows.Err(); err != nil {
		b.t.Fatal(err)
	}
	return all
}

// inForce fails unless, in the order of the log, each start names the version applied last before it.
func (b *bench) inForce(ran map[string]int64) {
	b.t.Helper()
	for call, version := range ran {
		var last int64
		err := b.DB.Read().QueryRowContext(b.t.Context(), `SELECT
			coalesce(max(json_extract(body, '$.version')), 0) FROM receipts WHERE type = 'config.applied'
			AND seq < (SELECT seq FROM receipts WHERE type = 'call.started' AND call_id = ?)`, call).Scan(&last)
		if err != nil || last != version {
			b.t.Errorf("call %s started under version %d while %d was in force (%v)", call, version, last, err)
		}
	}
}
