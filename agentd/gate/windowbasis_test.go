package gate_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// unlockedAgent may do everything that its windows cover.
var unlockedAgent = wire.AgentConfig{Level: 3, Unlocked: []string{"reach"}}

func secretary(c wire.AgentConfig) map[string]wire.AgentConfig {
	return map[string]wire.AgentConfig{"secretary": c}
}

// basisChanges are changes by the owner, and what becomes of a call under a window that was opened before.
var basisChanges = map[string]struct {
	change func(s *safe, key string)
	want   policy.Effect
}{
	"nothing": {func(*safe, string) {}, policy.Allow},
	"another agent's level": {func(s *safe, _ string) {
		s.configure(wire.Config{Version: 2, Agents: map[string]wire.AgentConfig{"secretary": unlockedAgent, "it-admin": {Level: 1}}})
	}, policy.Allow},
	"its level": {func(s *safe, _ string) {
		s.configure(wire.Config{Version: 2, Agents: secretary(wire.AgentConfig{Level: 2, Unlocked: unlockedAgent.Unlocked})})
	}, policy.Ask},
	"its unlock": {func(s *safe, _ string) {
		s.configure(wire.Config{Version: 2, Agents: secretary(wire.AgentConfig{Level: 3})})
	}, policy.Ask},
	"its level, and given back": {func(s *safe, _ string) {
		s.configure(wire.Config{Version: 2, Agents: secretary(wire.AgentConfig{Level: 2, Unlocked: unlockedAgent.Unlocked})})
		s.configure(wire.Config{Version: 3, Agents: secretary(unlockedAgent)})
	}, policy.Ask},
	"the agent itself, and given back": {func(s *safe, _ string) {
		off := unlockedAgent
		off.Off = true
		s.configure(wire.Config{Version: 2, Agents: secretary(off)})
		s.configure(wire.Config{Version: 3, Agents: secretary(unlockedAgent)})
	}, policy.Ask},
	"its unlock, and given back, across a crash": {func(s *safe, _ string) {
		s.configure(wire.Config{Version: 2, Agents: secretary(wire.AgentConfig{Level: 3})})
		s.reopenWindows() // as when the process ends between the two commits
		s.restart()
		s.configure(wire.Config{Version: 3, Agents: secretary(unlockedAgent)})
	}, policy.Ask},
	"the rules": {func(s *safe, _ string) { s.setRules("version: 1\nrules:\n  - {id: r, tool: reach, effect: ask}\n") }, policy.Ask},
	"its key":   {func(s *safe, key string) { s.revoke(key) }, policy.Ask},
}

// TestWindow_endsWithItsGrounds: what the owner takes back ends the windows that were opened under it.
func TestWindow_endsWithItsGrounds(t *testing.T) {
	t.Parallel()
	for what, c := range basisChanges {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := openSafe(t, nil)
			s.configure(wire.Config{Version: 1, Agents: secretary(unlockedAgent)})
			other := s.secondKey()
			call := s.reach("", reach{Tier: "red", Path: "a"})
			call.Level = 1
			f, a := s.ask(call)
			d := gatetest.Answer(a, wire.AllowWindow)
			d.Minutes = 30
			if err := gatetest.SignWith(other, &d, s.clock.now()); err != nil {
				t.Fatal(err)
			}
			if err := s.Deliver(d); err != nil {
				t.Fatal(err)
			}
			s.wantState(f.end(t), wire.ToolDone)
			c.change(s, other.KeyID)
			again := s.reach("", reach{Tier: "red", Path: "b"})
			again.Level = 1
			s.wantEffect("after "+what, again, c.want)
			list, err := s.Gate.Windows(t.Context())
			if err != nil || (len(list.Items) == 1) != (c.want == policy.Allow) {
				t.Errorf("listed: %+v, %v", list.Items, err)
			}
		})
	}
}

// secondKey is another key of the owner.
func (s *safe) secondKey() wire.Signer {
	s.t.Helper()
	key, err := wire.NewSigner()
	if err != nil {
		s.t.Fatal(err)
	}
	err = s.DB.Write(s.t.Context(), func(tx *sql.Tx) error {
		return s.Keys.Trust(context.Background(), tx, wire.ApproverKey{
			SPKI: key.SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "second", AddedBy: "test", CreatedAt: s.clock.now(),
		})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return key
}

// reopenWindows takes back that windows were closed.
func (s *safe) reopenWindows() {
	s.t.Helper()
	err := s.DB.Write(s.t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE gate_windows SET closed_at = 0")
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *safe) revoke(key string) {
	s.t.Helper()
	err := s.DB.Write(s.t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE approver_keys SET revoked_at = ? WHERE key_id = ?", s.clock.now().UnixMicro(), key)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestClock_passesWhileNothingHappens: that time has passed is known after a restart, also when nothing was decided
// meanwhile and the machine's clock was set back.
func TestClock_passesWhileNothingHappens(t *testing.T) {
	t.Parallel()
	b := open(t)
	f, a := b.ask(b.call("act", "red", ""))
	d := gatetest.Answer(a, wire.AllowWindow)
	d.Minutes = 60
	b.decide(d)
	b.wantState(f.end(t), wire.ToolDone)
	b.clock.move(61 * time.Minute)
	b.restart() // looks for what has run out
	b.clock.move(-61 * time.Minute)
	b.restart()
	g, _ := b.ask(b.call("act", "red", ""))
	g.stop()
}

// TestApproval_expiry: how long a question waits is the owner's to say, for each tier.
func TestApproval_expiry(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.setRules("version: 1\nexpiry: {red: 10m, critical_red: 168h}\n")
	for tier, want := range map[string]time.Duration{"red": 10 * time.Minute, "critical_red": 168 * time.Hour, "yellow": 24 * time.Hour} {
		c := s.reach("", reach{Tier: tier, Path: tier})
		c.Level = 1
		f, a := s.ask(c)
		if got := a.ExpiresAt.Sub(a.CreatedAt.Truncate(time.Second)); got != want {
			t.Errorf("what is %s waits %s, want %s", tier, got, want)
		}
		if tier != "red" {
			f.stop()
			continue
		}
		s.clock.move(10*time.Minute + time.Second)
		d := gatetest.Answer(a, wire.AllowOnce)
		s.decide(d)
		s.wantState(f.end(t), wire.ToolDenied)
	}
}
