package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy"
)

// TestLift: the owner's tiers make a call stricter, by its tool or its action, and never looser; what reaches someone
// outside still does.
func TestLift(t *testing.T) {
	t.Parallel()
	for _, c := range calls(t) {
		before := policy.Classify(c.tool, c.args, byName)
		for _, tier := range []policy.Tier{policy.Yellow, policy.Red, policy.CriticalRed, policy.Forbidden} {
			for _, name := range []string{c.tool, before.Action} {
				m := &policy.Manifest{Tiers: policy.Tiers{name: tier}}
				after := m.Lift(c.tool, before)
				if after.Tier != policy.Worst(before.Tier, tier) || after.Outward() != before.Outward() {
					t.Errorf("%s: %s, outward %t, with %s is %s, outward %t", c.text, before.Tier, before.Outward(), tier, after.Tier, after.Outward())
				}
				if again := m.Lift(c.tool, after); again.Tier != after.Tier || again.Table != after.Table || again.External != after.External {
					t.Errorf("%s: lifted once %+v, twice %+v", c.text, after, again)
				}
			}
		}
	}
}

// TestLift_decision: however a call is lifted, no level, unlock, rule or window lets through more than before.
func TestLift_decision(t *testing.T) {
	t.Parallel()
	lifts := []string{"yellow", "red", "critical_red", "forbidden"}
	every(func(values []string) {
		was := policy.Class{Tier: policy.Tier(values[0])}
		if values[0] == "unknown" || values[2] == "yes" || values[7] != "none" { // reaching outside follows here; a window is opened for a tier
			return
		}
		for _, to := range lifts {
			c := (&policy.Manifest{Tiers: policy.Tiers{"message": policy.Tier(to)}}).Lift("message", was)
			for level := 1; level <= 3; level++ {
				before, in := input(values, level), input(values, level)
				in.Tier, in.Outward = c.Tier, c.Outward()
				if strict[policy.Decide(in).Effect] < strict[policy.Decide(before).Effect] {
					t.Errorf("%v at level %d: %s, and lifted to %s %s", values, level, policy.Decide(before).Effect, to, policy.Decide(in).Effect)
				}
			}
		}
	})
}

// TestLift_names: an action is meant by each of its names.
func TestLift_names(t *testing.T) {
	t.Parallel()
	c := policy.Class{Tier: policy.YellowExternal, Action: policy.Classify("ghost_publish", []byte("{}"), policy.Env{}).Action}
	for _, name := range []string{"ghost_publish", c.Action, "http_request"} {
		if got := (&policy.Manifest{Tiers: policy.Tiers{name: policy.Red}}).Lift("http_request", c); got.Tier != policy.Red || !got.Outward() || got.Table != policy.YellowExternal || !strings.Contains(got.Why, "owner") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := (&policy.Manifest{Tiers: policy.Tiers{"file_write": policy.Red}}).Lift("http_request", c); got.Tier != c.Tier {
		t.Errorf("another tool's: %+v", got)
	}
	if got := (*policy.Manifest)(nil).Lift("http_request", c); got.Tier != c.Tier {
		t.Errorf("no rules: %+v", got)
	}
}

// TestTiers_wrong: what names nothing, or is no tier to lift to, is refused with its line.
func TestTiers_wrong(t *testing.T) {
	t.Parallel()
	for in, why := range map[string]string{
		"file_writ: red":              `no tool or action "file_writ"`,
		"file_write: green":           "cannot be lifted",
		"file_write: yellow_external": "cannot be lifted",
		"file_write: reed":            "cannot be lifted",
	} {
		if _, err := policy.ParseManifest([]byte("version: 1\ntiers:\n  message: red\n  " + in + "\n")); err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "line 4") {
			t.Errorf("%s: %v, want something about %s in line 4", in, err, why)
		}
	}
	if _, err := policy.ParseManifest([]byte("version: 1\ntiers:\n  file_write: red\n  ghost_publish: critical_red\n  crm.contact.create: forbidden\n")); err != nil {
		t.Error(err)
	}
}

// TestTiers_loosens: whatever is lifted less than before loosens, and is signed for.
func TestTiers_loosens(t *testing.T) {
	t.Parallel()
	texts := []string{"{}", "{file_write: yellow}", "{file_write: red}", "{file_write: red, message: red}", "{file_write: forbidden, message: red}"}
	for i, from := range texts {
		for j, to := range texts {
			if got := policy.LoosensRules(parse(t, tiered(from)), parse(t, tiered(to))); got != (j < i) {
				t.Errorf("from %s to %s: %t", from, to, got)
			}
		}
	}
}

func tiered(tiers string) string { return fmt.Sprintf("version: 1\ntiers: %s\n", tiers) }

// TestTiers_simulated: past calls are judged by what the table said of them, whatever the rules of then made of it.
func TestTiers_simulated(t *testing.T) {
	t.Parallel()
	lifting, plain := parse(t, tiered("{file_write: red}")), parse(t, "version: 1\n")
	past := policy.Past{ID: "a", Time: time.Now(), Agent: "secretary", Tool: "file_write", Args: []byte("{}"), Level: 2, Class: policy.Class{Tier: policy.Yellow, Action: "server.file.write"}}
	lifted := past
	lifted.ID, lifted.Class = "b", lifting.Lift("file_write", past.Class)
	for _, c := range []struct {
		now, next *policy.Manifest
		effect    policy.Effect
	}{{plain, lifting, policy.Ask}, {lifting, plain, policy.Allow}} {
		got := policy.Simulate(c.now, c.next, []policy.Past{past, lifted}, "/opt/gatehouse")
		if len(got) != 2 || slices.ContainsFunc(got, func(g policy.Changed) bool { return g.After.Effect != c.effect }) {
			t.Errorf("%+v", got)
		}
	}
}

// TestTiers_rules: a call that is lifted out of the tier that a rule names stays in that rule's reach, so that a tier lets
// nothing through that a rule holds; and a tier that is added beside such rules is signed for.
func TestTiers_rules(t *testing.T) {
	t.Parallel()
	was := map[policy.Tier]policy.Class{
		policy.Green: {Tier: policy.Green}, policy.Yellow: {Tier: policy.Yellow}, policy.Red: {Tier: policy.Red},
		policy.YellowExternal: {Tier: policy.YellowExternal, Outside: []string{"x@shop.example"}},
	}
	for _, effect := range []string{"deny", "ask", "allow", "allow, limits: {max_bytes: 1}", "ask, limits: {rate: 1/h}"} {
		for tier, class := range was {
			if tier == policy.Red && strings.HasPrefix(effect, "allow") {
				continue // no rule allows that
			}
			rules := fmt.Sprintf("rules:\n- {id: a, tool: message, tier: [%s], effect: %s}\n", tier, effect)
			from := parse(t, "version: 1\n"+rules)
			for _, lift := range []string{"yellow", "red", "critical_red", "forbidden"} {
				to := parse(t, tiered("{message: "+lift+"}")+rules)
				if !policy.LoosensRules(from, to) {
					t.Errorf("%s, lifted to %s beside %s: not signed for", tier, lift, rules)
				}
				for level := 1; level <= 3; level++ {
					past := policy.Past{ID: "a", Agent: "secretary", Tool: "message", Args: []byte("{}"), Level: level, Unlocked: true, Class: class, Bytes: 2}
					if loose := policy.Loosens(policy.Simulate(from, to, []policy.Past{past}, "/data")); len(loose) != 0 {
						t.Errorf("%s at level %d, lifted to %s beside %s: %+v", tier, level, lift, rules, loose)
					}
				}
				c := to.Lift("message", class)
				s := policy.Subject{Agent: "secretary", Tool: "message", Tier: c.Tier, Table: c.Table, Args: []byte("{}")}
				if limited := len(to.Judge(s).Limits) > 0; limited != strings.Contains(effect, "limits") {
					t.Errorf("%s, lifted to %s beside %s: limited %t", tier, lift, rules, limited)
				}
			}
		}
	}
}

// TestTiers_allow: what a rule allows of one tier it does not allow of what was lifted out of it.
func TestTiers_allow(t *testing.T) {
	t.Parallel()
	m := parse(t, tiered("{file_read: yellow}")+"rules:\n- {id: a, tier: [green], effect: allow}\n")
	c := m.Lift("file_read", policy.Class{Tier: policy.Green})
	if got := m.Judge(policy.Subject{Tool: "file_read", Tier: c.Tier, Table: c.Table, Args: []byte("{}")}); got.Effect != "" {
		t.Errorf("%+v", got)
	}
}
