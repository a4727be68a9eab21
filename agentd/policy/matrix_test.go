package policy_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/policy"
)

// columns are the inputs of a decision in the order of testdata/decisions.txt, with every value that each can have,
// from the one that lets most through to the one that lets least.
var columns = []struct {
	name   string
	values []string
}{
	{"tier", []string{"green", "yellow", "yellow_external", "red", "critical_red", "forbidden", "unknown"}},
	{"unlocked", []string{"yes", "no"}},
	{"outward", []string{"no", "yes"}},
	{"always", []string{"no", "yes"}},
	{"rule", []string{"none", "allow", "ask", "deny"}},
	{"taint", []string{"clean", "named", "tainted"}},
	{"novel", []string{"no", "yes"}},
	{"window", []string{"none", "open", "told"}},
	{"guardian", []string{"unasked", "allow", "escalate", "block"}},
	{"outgoing", []string{"none", "ask", "deny"}},
	{"over", []string{"no", "yes"}},
}

// row is one line of the table; levels stands apart from the columns that it is picked by.
type row struct {
	fits   [][]string
	levels string
}

func readTable(t *testing.T) []row {
	t.Helper()
	b, err := os.ReadFile("testdata/decisions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []row
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) != len(columns)+1 {
			t.Fatalf("%d columns in %q", len(f), line)
		}
		r := row{levels: f[1]}
		for _, cell := range slices.Concat(f[:1], f[2:]) {
			r.fits = append(r.fits, strings.Split(cell, "|"))
		}
		all = append(all, r)
	}
	return all
}

// lookUp gives the effects at levels 1, 2 and 3 that the first fitting row says, and its place.
func lookUp(table []row, values []string) (string, int) {
next:
	for n, r := range table {
		for i, v := range values {
			if !slices.Contains(r.fits[i], "*") && !slices.Contains(r.fits[i], v) {
				continue next
			}
		}
		return r.levels, n
	}
	return "", -1
}

// every calls fn with each combination of values.
func every(fn func(values []string)) {
	values := make([]string, len(columns))
	var at func(i int)
	at = func(i int) {
		if i == len(columns) {
			fn(values)
			return
		}
		for _, v := range columns[i].values {
			values[i] = v
			at(i + 1)
		}
	}
	at(0)
}

func input(v []string, level int) policy.Input {
	in := policy.Input{
		Tier: policy.Tier(v[0]), Level: level, Unlocked: v[1] == "yes", Outward: v[2] == "yes", Always: v[3] == "yes", Rule: policy.Effect(v[4]),
		Taint: map[string]policy.Taint{"clean": policy.Clean, "named": policy.Named, "tainted": policy.Tainted}[v[5]], Novel: v[6] == "yes",
		Guardian: policy.Opinion(v[8]), Outgoing: policy.Effect(v[9]),
	}
	if v[4] == "none" {
		in.Rule = ""
	}
	if v[7] != "none" {
		in.Window, in.WindowTainted = in.Tier, v[7] == "told"
	}
	if v[8] == "unasked" {
		in.Guardian = policy.Unasked
	}
	if v[9] == "none" {
		in.Outgoing = ""
	}
	if v[10] == "yes" {
		in.Over = "enough of it"
	}
	return in
}

// TestDecide_table checks every combination of inputs against the table of the design, and that each row is needed.
func TestDecide_table(t *testing.T) {
	t.Parallel()
	table := readTable(t)
	used := make([]bool, len(table))
	effects := map[byte]policy.Effect{'a': policy.Ask, 'r': policy.Allow, 'd': policy.Deny}
	n := 0
	every(func(values []string) {
		levels, at := lookUp(table, values)
		if at < 0 {
			t.Fatalf("no row fits %v", values)
		}
		used[at] = true
		for level := 1; level <= 3; level++ {
			n++
			if got := policy.Decide(input(values, level)); got.Effect != effects[levels[level-1]] || got.Why == "" {
				t.Errorf("%v at level %d: %+v, want %c", values, level, got, levels[level-1])
			}
		}
	})
	if n != 7*2*2*2*4*3*2*3*4*3*2*3 {
		t.Errorf("%d combinations", n)
	}
	for i, ok := range used {
		if !ok {
			t.Errorf("row %d of the table decides nothing", i+1)
		}
	}
}

// TestDecide_monotone: whatever makes a call more doubtful never lets more through, all else being equal; nor does a
// lower level.
func TestDecide_monotone(t *testing.T) {
	t.Parallel()
	careful := map[string]bool{"unlocked": true, "outward": true, "always": true, "taint": true, "novel": true, "guardian": true, "outgoing": true, "over": true}
	every(func(values []string) {
		for level := 1; level <= 3; level++ {
			now := strict[policy.Decide(input(values, level)).Effect]
			if level > 1 && strict[policy.Decide(input(values, level-1)).Effect] < now {
				t.Errorf("%v: level %d allows more than level %d", values, level-1, level)
			}
			for i, c := range columns {
				at := slices.Index(c.values, values[i])
				if !careful[c.name] && !(c.name == "rule" && at > 0) || at == len(c.values)-1 {
					continue
				}
				more := slices.Clone(values)
				more[i] = c.values[at+1]
				if strict[policy.Decide(input(more, level)).Effect] < now {
					t.Errorf("%v at level %d allows more than %v", more, level, values)
				}
			}
		}
	})
}

// TestDecide_unknownValues: what is none of the known values is read as the careful one.
func TestDecide_unknownValues(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]policy.Input{
		"opinion":  {Tier: policy.Yellow, Level: 3, Guardian: "sure"},
		"outgoing": {Tier: policy.Yellow, Level: 3, Outgoing: "maybe"},
		"taint":    {Tier: policy.Yellow, Level: 3, Taint: 7},
	} {
		if got := policy.Decide(in); got.Effect == policy.Allow {
			t.Errorf("unknown %s: %+v", name, got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, who string
		want      bool
	}{
		{"Write to ann@shop.example, please.", "ann@shop.example", true},
		{"Write to Ann@Shop.Example.", "ann@shop.example", true},
		{"<ann@shop.example>", "ann@shop.example", true},
		{"mail (ann@shop.example): hello", "ann@shop.example", true},
		{"ann@shop.example:\nhello", "ann@shop.example", true},
		{"see https://shop.example/prices", "shop.example", true},
		{"joann@shop.example", "ann@shop.example", false},
		{"jo.ann@shop.example", "ann@shop.example", false},
		{"jo+ann@shop.example", "ann@shop.example", false},
		{"ann@shop.example.evil.test", "ann@shop.example", false},
		{"ann@shop.example-evil.test", "ann@shop.example", false},
		{"ann@shop.exampleevil", "ann@shop.example", false},
		{"notshop.example", "shop.example", false},
		{"Write to ann", "ann@shop.example", false},
		{"", "ann@shop.example", false},
		{"anything", "", false},
	} {
		if got := policy.Names(tc.text, []string{tc.who}); got != tc.want {
			t.Errorf("%q names %q: %v", tc.text, tc.who, got)
		}
	}
	if policy.Names("only a@b.example here", []string{"a@b.example", "c@d.example"}) {
		t.Error("one of two named is not all named")
	}
}

func TestTaintOf(t *testing.T) {
	t.Parallel()
	from := []policy.Source{{Source: "mail", ID: "1"}}
	for name, tc := range map[string]struct {
		sources []policy.Source
		outside []string
		request string
		want    policy.Taint
	}{
		"nothing read":        {nil, []string{"x@y.example"}, "", policy.Clean},
		"nobody named":        {from, []string{"x@y.example"}, "answer the mail", policy.Tainted},
		"named":               {from, []string{"x@y.example"}, "answer x@y.example", policy.Named},
		"nobody reached":      {from, nil, "x@y.example", policy.Tainted},
		"not by the owner":    {from, []string{"x@y.example"}, "", policy.Tainted},
		"one of two, tainted": {from, []string{"x@y.example", "z@y.example"}, "x@y.example", policy.Tainted},
	} {
		if got := policy.TaintOf(tc.sources, tc.outside, tc.request); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
