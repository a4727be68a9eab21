package policy_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/policy"
)

// byName is the world of a check without a registry.
var byName = policy.Env{Root: "/opt/gatehouse", State: "/opt/state", Inside: []string{"owner@example.com"}, ByName: true}

// allTiers are the tiers that a call can have. One that is not among them ranks as the worst, and is none.
var allTiers = []policy.Tier{policy.Green, policy.Yellow, policy.YellowExternal, policy.Red, policy.CriticalRed, policy.Forbidden}

// TestClassify_corpus: no call is below its tier, and those that are written so are exactly it.
func TestClassify_corpus(t *testing.T) {
	t.Parallel()
	n := 0
	for _, l := range calls(t) {
		n++
		c := policy.Classify(l.tool, l.args, byName)
		switch {
		case l.exact && c.Tier != l.tier, c.Tier.Rank() < l.tier.Rank():
			t.Errorf("%s is %s (%s), wanted %s", l.text, c.Tier, c.Why, l.tier)
		case !slices.Contains(allTiers, c.Tier), c.Says == "" || strings.Count(c.Action, ".") != 2:
			t.Errorf("%s: %+v", l.text, c)
		}
	}
	if n < 350 {
		t.Errorf("only %d calls", n)
	}
}

type oneCall struct {
	tier  policy.Tier
	exact bool
	tool  string
	args  json.RawMessage
	text  string
}

func calls(t testing.TB) []oneCall {
	t.Helper()
	b, err := os.ReadFile("testdata/calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []oneCall
	for text := range strings.Lines(string(b)) {
		text = strings.TrimSuffix(text, "\n")
		if text == "" || strings.HasPrefix(text, "# ") {
			continue
		}
		tier, rest, _ := strings.Cut(text, " ")
		tool, args, _ := strings.Cut(rest, " ")
		out = append(out, oneCall{policy.Tier(strings.TrimPrefix(tier, "=")), tier[0] == '=', tool, written(t, tool, args), text})
	}
	return out
}

// written are arguments that are written short in the corpus.
func written(t testing.TB, tool, args string) json.RawMessage {
	t.Helper()
	var v any
	switch {
	case strings.HasPrefix(args, "{") && !strings.HasPrefix(args, "{{") || strings.HasPrefix(args, "["):
		return json.RawMessage(args)
	case tool == "docker":
		v = policy.DockerArgs{Args: strings.Fields(args)}
	case tool == "sql_query":
		engine, query, _ := strings.Cut(args, ":")
		v = policy.SQLArgs{Query: query, Engine: strings.Replace(engine, "any", "", 1)}
	default:
		t.Fatalf("%s %s", tool, args)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
