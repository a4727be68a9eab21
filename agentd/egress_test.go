package agentd

import (
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
)

// TestLeaving: whom people know is the measure for who looks like them; each recipient is looked at; and more mail than
// usual is asked about.
func TestLeaving(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := newLeaving(func() []string { return []string{"owner@bakery-lindner.example"} }, func() time.Time { return at })
	known := []string{"orders@millers-flour.example"}
	for name, tc := range map[string]struct {
		to   []string
		text string
		want policy.Opinion
		kind string
	}{
		"known":             {known, "Good day.", policy.Harmless, ""},
		"new":               {[]string{"someone@elsewhere.example"}, "Good day.", policy.Harmless, ""},
		"nobody named":      {nil, "Good day.", policy.Harmless, ""},
		"looks like one":    {[]string{"orders@mi11ers-flour.example"}, "Good day.", policy.Escalate, "lookalike_recipient"},
		"looks like us":     {[]string{"owner@bakery-lindnar.example"}, "Good day.", policy.Escalate, "lookalike_recipient"},
		"second of several": {[]string{"someone@elsewhere.example", "orders@mi11ers-flour.example"}, "Good day.", policy.Escalate, "lookalike_recipient"},
		"our own host":      {[]string{"shop.bakery-lindner.example"}, "Good day.", policy.Harmless, ""},
		"a card":            {known, "Card 4111 1111 1111 1111, until 12/29.", policy.Block, "payment_card"},
		"a card, to two":    {[]string{known[0], "someone@elsewhere.example"}, "Card 4111 1111 1111 1111, until 12/29.", policy.Block, "payment_card"},
	} {
		got, kinds := l.Look(gate.Leaving{Tool: "message", Recipients: tc.to, Known: known, Text: tc.text})
		if got != tc.want || tc.kind != "" && !slices.Contains(kinds, tc.kind) {
			t.Errorf("%s: %s %v", name, got, kinds)
		}
	}
	for text, want := range map[string]policy.Opinion{
		"Good day.": policy.Escalate, "Card 4111 1111 1111 1111, until 12/29.": policy.Block,
	} {
		got, kinds := l.Look(gate.Leaving{Tool: "channel_send", Recipients: known, Known: known, Text: text, Unread: true})
		if got != want || !slices.Contains(kinds, "unreadable_file") {
			t.Errorf("with a file that is not text: %s %v", got, kinds)
		}
	}
	for range 20 {
		l.Left([]string{"orders@millers-flour.example", "api.host.example"})
	}
	look := func(to string) policy.Opinion {
		v, _ := l.Look(gate.Leaving{Tool: "message", Recipients: []string{to}, Known: known, Text: "Good day."})
		return v
	}
	if v := look(known[0]); v != policy.Escalate {
		t.Errorf("the 21st mail in an hour: %s", v)
	}
	if v := look("api.host.example"); v != policy.Harmless {
		t.Errorf("a host of a tool: %s", v)
	}
	at = at.Add(time.Hour)
	if v := look(known[0]); v != policy.Harmless {
		t.Errorf("an hour later: %s", v)
	}
}
