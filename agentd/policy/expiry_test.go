package policy_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy"
)

func TestExpiry(t *testing.T) {
	t.Parallel()
	m, err := policy.ParseManifest([]byte("version: 1\nexpiry:\n  yellow_external: 5m\n  red: 168h\n"))
	if err != nil {
		t.Fatal(err)
	}
	for tier, want := range map[policy.Tier]time.Duration{policy.YellowExternal: 5 * time.Minute, policy.Red: 168 * time.Hour, policy.Yellow: policy.UsualExpiry} {
		if got := policy.ExpiryOf(m, tier); got != want {
			t.Errorf("%s waits %s, want %s", tier, got, want)
		}
	}
	if got := policy.ExpiryOf(nil, policy.Red); got != policy.UsualExpiry {
		t.Errorf("without rules: %s", got)
	}
	for text, why := range map[string]string{
		"version: 1\nexpiry: {red: 4m59s}\n":    "5 minutes at least",
		"version: 1\nexpiry: {red: 169h}\n":     "168h",
		"version: 1\nexpiry: {red: soon}\n":     "168h",
		"version: 1\nexpiry: {forbidden: 1h}\n": "ever asked",
		"version: 1\nexpiry: {reed: 1h}\n":      "ever asked",
	} {
		if _, err := policy.ParseManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v, want something about %q in line 2", text, err, why)
		}
	}
}

// TestExpiry_loosens: a question that waits longer than before is signed for, however that is written.
func TestExpiry_loosens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"{red: 30m}", "{red: 168h}", true},
		{"{red: 30m}", "{}", true}, // the usual time
		{"{}", "{green: 25h}", true},
		{"{red: 30m}", "{red: 5m}", false},
		{"{}", "{red: 24h, yellow: 5m}", false},
		{"{red: 48h}", "{}", false},
	} {
		if got := policy.LoosensRules(parse(t, "version: 1\nexpiry: "+c.from+"\n"), parse(t, "version: 1\nexpiry: "+c.to+"\n")); got != c.want {
			t.Errorf("from %s to %s: %t", c.from, c.to, got)
		}
	}
}
