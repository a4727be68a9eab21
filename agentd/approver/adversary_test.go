package approver_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	_ "gatehouse/agentd/seeded"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// TestMain keeps the random walks short; GATEHOUSE_SOAK=1 makes them long.
func TestMain(m *testing.M) {
	checks := "40"
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		checks = "1000"
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// adversary is a hub gone bad. It has every question and every decision that the owner ever signed, and delivers what it
// likes: in any order, again and again, changed, under other names, over restarts. It also puts the decisions that
// agentd keeps back to an earlier copy.
type adversary struct {
	t      *rapid.T
	dir    string
	now    time.Time
	world  *gatetest.World
	ledger *gatetest.Ledger
	calls  []gate.Call
	asked  []wire.Approval
	signed []wire.Decision // by the owner
	leave  map[string]int  // call id → how often the owner has signed for it
	kept   bool            // it has an earlier copy of the decisions
}

func (a *adversary) must(err error) {
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *adversary) open() {
	storetest.Seed(a.t, filepath.Join(a.dir, "state"))
	w, err := gatetest.Open(a.dir, func() time.Time { return a.now }, &gatetest.Fake{Name: "act", Ledger: a.ledger})
	a.must(err)
	a.world = w
}

// ask makes a call that waits for a person.
func (a *adversary) ask() {
	run, tier := uuid.Must(uuid.NewV7()).String(), rapid.SampledFrom([]string{"red", "critical_red", "yellow_external"}).Draw(a.t, "tier")
	args, err := json.Marshal(gatetest.Args{Tier: tier, Key: run[24:]})
	a.must(err)
	c := gate.Call{ID: uuid.Must(uuid.NewV7()).String(), RunID: run, RootRunID: run, SessionID: run, Agent: "secretary", Tool: "act", Args: args, Reason: "r", Level: 2}
	a.calls = append(a.calls, c)
	a.drive(c)
	a.restart() // nobody waits while the hub does its worst
}

// drive takes a call as far as it gets without anybody answering; one that waits does so until the next restart.
func (a *adversary) drive(c gate.Call) {
	parked, done := make(chan struct{}, 16), make(chan struct{})
	w := a.world
	go func() {
		defer close(done)
		_, _ = w.Gate.Do(context.Background(), c, func(waits bool) { // how it ends is judged by the ledger
			if waits {
				parked <- struct{}{}
			}
		})
	}()
	select {
	case <-parked:
	case <-done:
	case <-time.After(time.Minute):
		a.t.Fatal("a call neither waits nor ends")
	}
	open, err := w.Pending(c.RunID)
	a.must(err)
	for _, q := range open {
		if !slices.ContainsFunc(a.asked, func(k wire.Approval) bool { return k.ID == q.ID }) {
			a.asked = append(a.asked, q)
		}
	}
}

// own is the owner's true answer to one question: at most one is signed for each.
func (a *adversary) own() {
	if len(a.asked) == 0 {
		return
	}
	q := rapid.SampledFrom(a.asked).Draw(a.t, "question")
	if slices.ContainsFunc(a.signed, func(d wire.Decision) bool { return d.ApprovalID == q.ID }) {
		return
	}
	d := gatetest.Answer(q, wire.AllowOnce)
	a.must(gatetest.Sign(&d, a.now))
	a.signed = append(a.signed, d)
	a.leave[q.CallID]++
	if rapid.Bool().Draw(a.t, "delivered at once") {
		a.must(a.world.Deliver(d))
	}
}

// forge delivers something that nobody signed, or that was signed for something else, or is delivered again.
func (a *adversary) forge() {
	if len(a.asked) == 0 {
		return
	}
	q := rapid.SampledFrom(a.asked).Draw(a.t, "about")
	d := gatetest.Answer(q, rapid.SampledFrom([]wire.Verb{wire.AllowOnce, wire.AllowWindow, wire.AllowRule, wire.Edit, "yes"}).Draw(a.t, "verb"))
	if len(a.signed) > 0 {
		seen := rapid.SampledFrom(a.signed).Draw(a.t, "signed")
		switch rapid.IntRange(0, 4).Draw(a.t, "how") {
		case 0: // as it is, in time or late, for the first time or again
			d = seen
		case 1:
			d.Signature = seen.Signature
		case 2:
			d.Signature, d.Digest = seen.Signature, seen.Digest
		case 3:
			d = seen
			d.ApprovalID = q.ID
		case 4:
			d = seen
			d.Verb, d.Args = wire.Edit, json.RawMessage(`{"tier":"red","key":"forged"}`)
		}
	}
	for range rapid.IntRange(1, 3).Draw(a.t, "times") {
		a.must(a.world.Deliver(d))
	}
}

func (a *adversary) restart() {
	a.must(a.world.Close())
	a.open()
}

// decisions are the tables that say what people have allowed, and what of it was used.
var decisions = []string{"gate_windows", "approver_used", "gate_approvals"}

// keep sets a copy of the decisions aside.
func (a *adversary) keep() {
	a.asleep(func(q func(string)) {
		for _, table := range decisions {
			q("DROP TABLE IF EXISTS earlier_" + table)
			q("CREATE TABLE earlier_" + table + " AS SELECT * FROM " + table)
		}
	})
	a.kept = true
}

// restore puts the copy in place of what was decided since: what was answered waits again, what was used up is fresh.
func (a *adversary) restore() {
	if !a.kept {
		return
	}
	a.asleep(func(q func(string)) {
		for _, table := range decisions {
			q("DELETE FROM " + table)
			q("INSERT INTO " + table + " SELECT * FROM earlier_" + table)
		}
	})
}

// asleep lets somebody who can write to its files at agentd's database while it does not run. What keeps rows as they are
// is out of the way meanwhile.
func (a *adversary) asleep(fn func(q func(string))) {
	a.must(a.world.Close())
	db, err := sql.Open("sqlite", "file:"+filepath.Join(a.dir, "state", store.File))
	a.must(err)
	q := func(text string) { _, err := db.Exec(text); a.must(err) }
	guards := map[string]string{}
	rows, err := db.Query("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
	a.must(err)
	for rows.Next() {
		var name, text string
		a.must(rows.Scan(&name, &text))
		guards[name] = text
	}
	a.must(rows.Err())
	for name := range guards {
		q("DROP TRIGGER " + name)
	}
	fn(q)
	for _, text := range guards {
		q(text)
	}
	a.must(db.Close())
	a.open()
}

// check: nothing ran without the owner's signature for it, nothing ran twice, and nothing ran with other arguments.
func (a *adversary) check() {
	for _, c := range a.calls {
		a.drive(c)
	}
	a.restart()
	all, err := a.ledger.Effects()
	a.must(err)
	ran := map[string]int{}
	for _, e := range all {
		ran[e.CallID]++
	}
	for _, c := range a.calls {
		if ran[c.ID] > min(a.leave[c.ID], 1) {
			a.t.Fatalf("call %s ran %d times, signed for %d times", c.ID, ran[c.ID], a.leave[c.ID])
		}
	}
	b, err := os.ReadFile(a.ledger.Path)
	if err == nil && strings.Contains(string(b), "forged") {
		a.t.Fatal("forged arguments ran")
	}
}

// TestAdversary: what happened is never more than what was signed.
func TestAdversary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "walk")
		if err != nil {
			r.Fatal(err)
		}
		a := &adversary{t: r, dir: dir, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), leave: map[string]int{}}
		a.ledger = &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}
		a.open()
		defer func() { a.must(a.world.Close()) }()
		a.ask()
		for range rapid.IntRange(1, 14).Draw(r, "steps") {
			switch rapid.IntRange(0, 9).Draw(r, "step") {
			case 0:
				a.ask()
			case 1, 2:
				a.own()
			case 3, 4, 5:
				a.forge()
			case 6:
				a.now = a.now.Add(rapid.SampledFrom([]time.Duration{time.Second, 6 * time.Minute, 5 * time.Hour, 25 * time.Hour, -time.Hour}).Draw(r, "clock"))
			case 7:
				a.restart()
			case 8:
				a.keep()
			case 9:
				a.restore()
			}
			a.check()
		}
	})
}
