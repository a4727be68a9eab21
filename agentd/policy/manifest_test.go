package policy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy"
)

const sample = `# What our team may do.
version: 1
rules:
  - id: no-mail-at-night # nobody reads it anyway
    tool: message
    effect: allow
    limits: {rate: 10/h, cooldown: 1m, hours: {from: "08:00", to: "18:00", days: [mon, tue, wed, thu, fri], zone: Europe/Berlin}}
  - id: reports
    agent: sec*
    tool: file_write
    args: {path: {under: reports}}
    limits: {max_bytes: 1000}
    effect: allow
  - id: look-first
    origin: [webhook, schedule]
    tier: [yellow, red]
    effect: ask
  - id: never-books
    args: {path: {under: books}}
    tier: [yellow, yellow_external, red]
    effect: deny
    reason: the accountant does that
channels:
  public:
    read_only: true
  shop:
    rules:
      - {id: shop-tainted, tainted: true, effect: deny}
`

func parse(t *testing.T, text string) *policy.Manifest {
	t.Helper()
	m, err := policy.ParseManifest([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParseManifest_refusals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		line       int
		says       string
	}{
		{"unknown field", "version: 1\nrules:\n  - id: a\n    effect: deny\n    colour: red\n", 5, "colour"},
		{"unknown field on top", "version: 1\nrule: []\n", 2, "rule"},
		{"unknown limit", "version: 1\nrules:\n  - id: a\n    effect: ask\n    limits:\n      speed: 3\n", 6, "speed"},
		{"key twice", "version: 1\nrules: []\nrules: []\n", 3, "already defined"},
		{"no version", "rules: []\n", 1, "version"},
		{"other version", "version: 2\n", 1, "version"},
		{"no id", "version: 1\nrules:\n  - effect: deny\n", 3, "id"},
		{"id twice", "version: 1\nrules:\n  - {id: a, effect: deny}\n  - {id: a, effect: ask}\n", 4, "twice"},
		{"id twice over channels", "version: 1\nrules:\n  - {id: a, effect: deny}\nchannels:\n  x:\n    rules:\n      - {id: a, effect: ask}\n", 7, "twice"},
		{"no effect", "version: 1\nrules:\n  - id: a\n", 3, "effect"},
		{"odd effect", "version: 1\nrules:\n  - id: a\n    effect: Allow\n", 4, "Allow"},
		{"odd tier", "version: 1\nrules:\n  - id: a\n    effect: ask\n    tier: [purple]\n", 5, "purple"},
		{"allows red", "version: 1\nrules:\n  - id: a\n    effect: allow\n    tier: [yellow, red]\n", 5, "red"},
		{"allows critical", "version: 1\nrules:\n  - {id: a, effect: allow, tier: [critical_red]}\n", 3, "critical_red"},
		{"allows tainted", "version: 1\nrules:\n  - {id: a, effect: allow, tainted: true}\n", 3, "outside"},
		{"odd origin", "version: 1\nrules:\n  - {id: a, effect: ask, origin: [moon]}\n", 3, "moon"},
		{"denies with limits", "version: 1\nrules:\n  - {id: a, effect: deny, limits: {rate: 3/h}}\n", 3, "limits"},
		{"odd rate", "version: 1\nrules:\n  - id: a\n    effect: ask\n    limits: {rate: fast}\n", 5, "rate"},
		{"rate of nothing", "version: 1\nrules:\n  - {id: a, effect: ask, limits: {rate: 0/h}}\n", 3, "rate"},
		{"odd cooldown", "version: 1\nrules:\n  - {id: a, effect: ask, limits: {cooldown: -3m}}\n", 3, "time"},
		{"odd zone", "version: 1\nrules:\n  - {id: a, effect: ask, limits: {hours: {from: \"08:00\", to: \"09:00\", zone: Moon/Base}}}\n", 3, "Moon/Base"},
		{"odd hour", "version: 1\nrules:\n  - {id: a, effect: ask, limits: {hours: {from: \"8\", to: \"09:00\", zone: UTC}}}\n", 3, "time of day"},
		{"odd day", "version: 1\nrules:\n  - {id: a, effect: ask, limits: {hours: {from: \"08:00\", to: \"09:00\", zone: UTC, days: [funday]}}}\n", 3, "funday"},
		{"empty test", "version: 1\nrules:\n  - {id: a, effect: ask, args: {to: {}}}\n", 3, "tests nothing"},
		{"folder outside", "version: 1\nrules:\n  - {id: a, effect: ask, args: {path: {under: ../x}}}\n", 3, "folder"},
		{"anchor", "version: 1\nrules:\n  - &a {id: a, effect: ask}\n", 3, "anchors"},
		{"tag", "version: !!python/object 1\n", 1, ""},
		{"two documents", "version: 1\n---\nversion: 1\n", 0, "more than one"},
		{"a list", "- 1\n", 0, ""},
		{"not YAML", "version: [1\n", 0, ""},
		{"key too far left", "version: 1\nrules:\n  - id: a\n    effect: allow\n   tool: x\n    origin: [portal]\n", 5, "expected"},
		{"key at the dash", "version: 1\nrules:\n  - id: a\n  effect: deny\n    tool: x\n", 4, "expected"},
		{"stray bracket", "version: 1\nrules:\n- id: a\n  effect: deny\n  }\n  tool: x\n  agent: y\n", 5, "expected"},
		{"stray bracket at the end", "version: 1\nrules:\n- id: a\n  effect: deny\n  }\n", 5, "expected"},
		{"open bracket", "version: 1\nrules:\n  - id: a\n    effect: [allow\n  - id: b\n    effect: deny\n", 4, "expected"},
		{"open list", "version: 1\nrules:\n  - id: a\n    effect: deny\n    tier: [red, yellow\n    tool: x\n", 5, "expected"},
		{"open quote", "version: 1\nrules:\n  - id: a\n    effect: allow\n    tool: \"x\n", 5, "end of stream"},
		{"no colon", "version: 1\nrules:\n  - id: a\n    effect: allow\n    tool x\n  - id: b\n", 5, "':'"},
		{"two colons", "version: 1\nrules:\n  - id: a: b\n    effect: deny\n", 3, "mapping values"},
		{"wrong type", "version: 1\nrules:\n  - {id: a, effect: ask, tier: red}\n", 3, ""},
		{"too large", "version: 1\n#" + strings.Repeat("x", 300_000), 0, "larger"},
	} {
		_, err := policy.ParseManifest([]byte(tc.text))
		var p policy.Problems
		if !errors.As(err, &p) || len(p) == 0 || !strings.Contains(err.Error(), tc.says) || tc.line > 0 && p[0].Line != tc.line {
			t.Errorf("%s: %v (%+v), want line %d: %s", tc.name, err, p, tc.line, tc.says)
		}
	}
	if m, err := policy.ParseManifest(nil); err != nil || len(m.Rules) != 0 {
		t.Errorf("an empty manifest: %+v, %v", m, err)
	}
}

func subject(tool string, tier policy.Tier, args any) policy.Subject {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return policy.Subject{Agent: "secretary", Tool: tool, Action: "x.y.z", Tier: tier, Channel: "portal", Args: b, Root: "/opt/gatehouse"}
}

type m = map[string]any

func TestJudge(t *testing.T) {
	t.Parallel()
	man := parse(t, sample)
	for _, tc := range []struct {
		name   string
		s      policy.Subject
		change func(*policy.Subject)
		want   policy.Effect
		rule   string
	}{
		{"allowed", subject("file_write", policy.Yellow, m{"path": "reports/a.md"}), nil, policy.Allow, "reports"},
		{"allowed, absolute", subject("file_write", policy.Yellow, m{"path": "/opt/gatehouse/reports/a.md"}), nil, policy.Allow, "reports"},
		{"another folder", subject("file_write", policy.Yellow, m{"path": "reports2/a.md"}), nil, "", ""},
		{"climbs out", subject("file_write", policy.Yellow, m{"path": "reports/../notes/a.md"}), nil, "", ""},
		{"climbs far out", subject("file_write", policy.Yellow, m{"path": "reports/../../x"}), nil, policy.Deny, "never-books"},
		{"outside", subject("file_write", policy.Yellow, m{"path": "/etc/reports/a"}), nil, policy.Deny, "never-books"},
		{"no path", subject("file_write", policy.Yellow, m{"content": "x"}), nil, "", ""},
		{"another agent", subject("file_write", policy.Yellow, m{"path": "reports/a.md"}), func(s *policy.Subject) { s.Agent = "it-admin" }, "", ""},
		{"too large", subject("file_write", policy.Yellow, m{"path": "reports/a.md"}), func(s *policy.Subject) { s.Bytes = 1001 }, policy.Ask, "reports"},
		{"denied", subject("file_delete", policy.Red, m{"path": "books/2025"}), nil, policy.Deny, "never-books"},
		{"denied in disguise", subject("file_delete", policy.Red, m{"path": "./reports/..//books/"}), nil, policy.Deny, "never-books"},
		{"denied, absolute", subject("file_delete", policy.Red, m{"path": "/opt/gatehouse/books"}), nil, policy.Deny, "never-books"},
		{"reads are free", subject("file_read", policy.Green, m{"path": "books/2025"}), nil, "", ""},
		{"deny beats ask", subject("file_delete", policy.Red, m{"path": "books/2025"}), func(s *policy.Subject) { s.Channel = "webhook" }, policy.Deny, "never-books"},
		{"ask beats allow", subject("file_write", policy.Yellow, m{"path": "reports/a.md"}), func(s *policy.Subject) { s.Channel = "schedule" }, policy.Ask, "look-first"},
		{"public channel writes", subject("file_write", policy.Yellow, m{"path": "reports/a.md"}), func(s *policy.Subject) { s.Channel = "public" }, policy.Deny, "channel public"},
		{"public channel reads", subject("file_read", policy.Green, m{"path": "a"}), func(s *policy.Subject) { s.Channel = "public" }, "", ""},
		{"shop, clean", subject("file_read", policy.Green, m{"path": "a"}), func(s *policy.Subject) { s.Channel = "shop" }, "", ""},
		{"shop, tainted", subject("file_read", policy.Green, m{"path": "a"}), func(s *policy.Subject) { s.Channel, s.Tainted = "shop", true }, policy.Deny, "shop-tainted"},
	} {
		if tc.change != nil {
			tc.change(&tc.s)
		}
		if got := man.Judge(tc.s); got.Effect != tc.want || got.Rule != tc.rule || (got.Why == "") != (tc.want == "") {
			t.Errorf("%s: %+v, want %q by %q", tc.name, got, tc.want, tc.rule)
		}
	}
	if got := (*policy.Manifest)(nil).Judge(subject("x", policy.Yellow, m{})); got.Effect != "" {
		t.Errorf("no manifest: %+v", got)
	}
}

// TestJudge_arguments: what allows needs every value to pass; what denies needs one, or one that cannot be compared.
func TestJudge_arguments(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		test string
		args m
		want string // does an allow rule match, does a deny rule match
	}{
		{`to: {suffix: "@shop.example"}`, m{"to": "Ann@Shop.Example"}, "yy"},
		{`to: {suffix: "@shop.example"}`, m{"to": "ann@shop.example.evil.test"}, "nn"},
		{`to: {suffix: "@shop.example"}`, m{"to": []any{"a@shop.example", "b@evil.test"}}, "ny"},
		{`to: {suffix: "@shop.example"}`, m{"to": []any{"a@shop.example", "b@shop.example"}}, "yy"},
		{`to: {suffix: "@shop.example"}`, m{"to": m{"x": "@shop.example"}}, "ny"},
		{`to: {suffix: "@shop.example"}`, m{"to": []any{}}, "nn"},
		{`to: {suffix: "@shop.example"}`, m{}, "nn"},
		{`to: {suffix: "@bücher.example"}`, m{"to": "ann@xn--bcher-kva.example"}, "yy"},
		{`to: {suffix: "@xn--bcher-kva.example"}`, m{"to": "Ann@Bücher.Example"}, "yy"},
		{`to: {glob: "*@*.example"}`, m{"to": "ann@shop.example"}, "yy"},
		{`body.status: {equals: draft}`, m{"body": m{"status": "draft"}}, "yy"},
		{`body.status: {equals: draft}`, m{"body": m{"status": "published"}}, "nn"},
		{`body.status: {equals: draft}`, m{"body": `{"status":"draft"}`}, "nn"},
		{`n: {max: 3}`, m{"n": 3}, "yy"},
		{`n: {max: 3}`, m{"n": 4}, "nn"},
		{`n: {max: 3}`, m{"n": "3"}, "ny"},
		{`kind: {one_of: [a, b]}`, m{"kind": "b"}, "yy"},
		{`kind: {one_of: [a, b]}`, m{"kind": "c"}, "nn"},
		{`kind: {glob: "a*c"}`, m{"kind": "abc"}, "yy"},
		{`kind: {glob: "a*c"}`, m{"kind": "abcd"}, "nn"},
		{`path: {prefix: tmp/}`, m{"path": "tmp/../x"}, "nn"},
		{`path: {equals: a/b}`, m{"path": "a/./b"}, "yy"},
	} {
		for i, effect := range []string{"allow", "deny"} {
			man := parse(t, fmt.Sprintf("version: 1\nrules:\n  - {id: r, effect: %s, args: {%s}}\n", effect, tc.test))
			want := tc.want[i] == 'y'
			if got := man.Judge(subject("x", policy.Yellow, tc.args)).Effect != ""; got != want {
				t.Errorf("%s %s on %v: %v", effect, tc.test, tc.args, got)
			}
		}
	}
}

func TestHours(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	day := policy.Hours{From: "08:00", To: "18:00", Days: []string{"mon", "tue", "wed", "thu", "fri"}, Zone: "Europe/Berlin"}
	night := policy.Hours{From: "22:00", To: "06:00", Days: []string{"fri"}, Zone: "UTC"}
	for _, tc := range []struct {
		h    policy.Hours
		now  string
		wait time.Duration
	}{
		{day, "2026-03-02T07:00:00Z", 0},                               // Monday, 08:00 in Berlin
		{day, "2026-03-02T06:59:00Z", time.Minute},                     //
		{day, "2026-03-02T16:59:59Z", 0},                               //
		{day, "2026-03-02T17:00:00Z", 14 * time.Hour},                  // 18:00: over
		{day, "2026-03-06T17:00:00Z", 62 * time.Hour},                  // Friday evening: Monday
		{day, "2026-03-27T18:00:00Z", 60 * time.Hour},                  // the clocks go forward in between
		{night, "2026-03-06T23:00:00Z", 0},                             // Friday
		{night, "2026-03-07T05:59:00Z", 0},                             // still Friday's night
		{night, "2026-03-07T06:00:00Z", 6*24*time.Hour + 16*time.Hour}, //
		{policy.Hours{From: "00:00", To: "24:00", Zone: "UTC"}, "2026-03-07T23:59:59Z", 0},
		{policy.Hours{From: "x", To: "24:00", Zone: "UTC"}, "2026-03-07T23:59:59Z", 7 * 24 * time.Hour},
	} {
		if got := tc.h.Wait(at(tc.now)); got != tc.wait {
			t.Errorf("%+v at %s: %s, want %s", tc.h, tc.now, got, tc.wait)
		}
	}
}

func TestAddRule_keepsTheRest(t *testing.T) {
	t.Parallel()
	r, ok := policy.RuleFor("from-1", subject("file_write", policy.Yellow, m{"path": "./notes//a.md", "content": "x"}), nil)
	if !ok {
		t.Fatal("no rule")
	}
	for name, text := range map[string]string{"sample": sample, "empty": "", "comment": "# nothing yet\n", "no rules": "version: 1\n", "null": "version: 1\nrules:\n", "flow": "version: 1\nrules: []\n"} {
		out, err := policy.AddRule([]byte(text), r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		man := parse(t, string(out))
		if got := man.Judge(subject("file_write", policy.Yellow, m{"path": "notes/a.md"})); got.Effect != policy.Allow || got.Rule != "from-1" {
			t.Errorf("%s: %+v after\n%s", name, got, out)
		}
		if got := man.Judge(subject("file_write", policy.Yellow, m{"path": "notes/../notes/b.md"})); got.Effect != "" {
			t.Errorf("%s: another file: %+v", name, got)
		}
		if name == "sample" && (!strings.Contains(string(out), "# nobody reads it anyway") || !strings.Contains(string(out), "# What our team may do.")) {
			t.Errorf("comments are gone:\n%s", out)
		}
	}
}

// TestRuleFor_command: a rule made of a command is about that one word for word, whatever others count as.
func TestRuleFor_command(t *testing.T) {
	t.Parallel()
	of := func(tool, arg, text string) policy.Subject {
		s := subject(tool, "", m{arg: text})
		c := policy.Classify(tool, s.Args, policy.Env{Root: s.Root})
		s.Tier, s.Action = c.Tier, c.Action
		return s
	}
	for tool, x := range map[string]struct {
		arg, text string
		others    []string
	}{
		"shell": {"command", "cp notes/a.md notes/b.md", []string{
			"mv contracts archive", "echo x > index.html", "cp notes/A.md notes/b.md", "cp notes/a.md notes/b.md; touch x", "tar xf upload.tar", "docker compose up -d", "systemctl restart nginx",
		}},
		"sql_query": {"query", "INSERT INTO notes (text) VALUES ('x')", []string{"INSERT INTO notes (text) VALUES ('X')", "INSERT INTO prices (amount) VALUES (1)"}},
	} {
		r, ok := policy.RuleFor("from-1", of(tool, x.arg, x.text), nil)
		if !ok {
			t.Errorf("%s: no rule", tool)
			continue
		}
		out, err := policy.AddRule(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		man := parse(t, string(out))
		if got := man.Judge(of(tool, x.arg, x.text)); got.Effect != policy.Allow {
			t.Errorf("%s: %+v", x.text, got)
		}
		for _, other := range x.others {
			if got := man.Judge(of(tool, x.arg, other)); got.Effect != "" {
				t.Errorf("the rule of %q about %q: %+v", x.text, other, got)
			}
		}
	}
	if r, ok := policy.RuleFor("from-1", of("shell", "command", "touch "+strings.Repeat("notes/a ", 200)), nil); ok {
		t.Errorf("a rule that nobody reads: %+v", r)
	}
}

// TestRuleFor_never: no rule comes of what no rule may allow.
func TestRuleFor_never(t *testing.T) {
	t.Parallel()
	tainted := subject("file_write", policy.Yellow, m{"path": "a"})
	tainted.Tainted = true
	install := subject("x", policy.Yellow, m{})
	install.Action = "tool.install.ghost"
	for name, s := range map[string]policy.Subject{
		"red": subject("file_delete", policy.Red, m{"path": "a"}), "critical": subject("shell", policy.CriticalRed, m{}), "green": subject("file_read", policy.Green, m{"path": "a"}),
		"tainted": tainted, "installation": install, "outside the root": subject("file_write", policy.Yellow, m{"path": "../a"}),
	} {
		if r, ok := policy.RuleFor("id", s, nil); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r, ok := policy.RuleFor("id", subject("post", policy.YellowExternal, m{"text": "x"}), []string{"x.example"}); ok {
		t.Errorf("a recipient without an argument: %+v", r)
	}
}

func TestDiffText(t *testing.T) {
	t.Parallel()
	got := policy.DiffText("p", "a\nb\nc\nd\ne\n", "a\nb\nc\nd\ne\nf\n")
	if want := "--- p\n+++ p\n@@ -3,3 +3,4 @@\n c\n d\n e\n+f\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if policy.DiffText("p", "x", "x") != "" {
		t.Error("a diff of nothing")
	}
}

func TestSimulate(t *testing.T) {
	t.Parallel()
	old, next := parse(t, ""), parse(t, sample)
	past := func(id, tool string, tier policy.Tier, args m, change func(*policy.Past)) policy.Past {
		b, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		p := policy.Past{ID: id, Agent: "secretary", Tool: tool, Class: policy.Class{Tier: tier, Action: "x.y.z"}, Args: b, Channel: "portal", Level: 1}
		if change != nil {
			change(&p)
		}
		return p
	}
	calls := []policy.Past{
		past("asked-now-runs", "file_write", policy.Yellow, m{"path": "reports/a"}, nil),
		past("tainted-still-asks", "file_write", policy.Yellow, m{"path": "reports/a"}, func(p *policy.Past) { p.Sources = []policy.Source{{Source: "mail", ID: "1"}} }),
		past("gated-still-asks", "message", policy.YellowExternal, m{"to": "x@y.example"}, func(p *policy.Past) { p.Class.Outside = []string{"x@y.example"} }),
		past("unlocked-now-runs", "message", policy.YellowExternal, m{"to": "x@y.example"}, func(p *policy.Past) { p.Class.Outside, p.Unlocked = []string{"x@y.example"}, true }),
		past("now-denied", "file_delete", policy.Red, m{"path": "books"}, nil),
		past("same", "file_read", policy.Green, m{"path": "reports/a"}, nil),
	}
	got := map[string]string{}
	changed := policy.Simulate(old, next, calls, "/opt/gatehouse")
	for _, c := range changed {
		got[c.Past.ID] = string(c.Before.Effect) + ">" + string(c.After.Effect) + " " + c.Rule
	}
	want := map[string]string{"asked-now-runs": "ask>allow reports", "unlocked-now-runs": "ask>allow no-mail-at-night", "now-denied": "ask>deny never-books"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if loose := policy.Loosens(changed); len(loose) != 2 {
		t.Errorf("%d calls are let through further", len(loose))
	}
}

// FuzzParseManifest: no text makes it panic, and no manifest that it takes lets through what no rule may allow.
func FuzzParseManifest(f *testing.F) {
	f.Add(sample)
	f.Add("version: 1\nrules:\n  - {id: a, effect: allow}\n")
	f.Add("a: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		man, err := policy.ParseManifest([]byte(text))
		if err != nil {
			return
		}
		for _, in := range []policy.Input{
			{Tier: policy.Forbidden, Level: 3},
			{Tier: policy.CriticalRed, Level: 3},
			{Tier: policy.YellowExternal, Level: 3},
			{Tier: policy.Red, Level: 2},
			{Tier: policy.Yellow, Level: 3, Taint: policy.Tainted},
			{Tier: policy.Yellow, Level: 3, Always: true},
		} {
			s := subject("message", in.Tier, m{"to": "a@b.example"})
			s.Tainted = in.Taint != policy.Clean
			in.Rule = man.Judge(s).Effect
			if policy.Decide(in).Effect == policy.Allow {
				t.Fatalf("%+v is allowed", in)
			}
		}
	})
}
