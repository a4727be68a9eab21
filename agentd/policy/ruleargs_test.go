package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gatehouse/agentd/policy"
)

// listed is a registry in which one tool has two names.
var listed = policy.Env{Root: "/data", Hosts: []string{"news.example.com"}, Tools: []policy.Registered{
	{Tool: "ghost", Bases: []string{"https://ghost.example.com"}},
	{Tool: "blog", Kind: "ghost", Bases: []string{"https://ghost.example.com"}},
	{Tool: "chatwoot", Bases: []string{"https://chat.example.com"}},
	{Tool: "cloud", Kind: "nextcloud", Bases: []string{"https://cloud.example.com"}},
}}

// verdicts says whether a rule with this test matches a call, as one that allows and as one that denies: y or n for each.
func verdicts(t *testing.T, test, tool string, args any, known bool) (got string) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	s := policy.Subject{Agent: "secretary", Tool: tool, Args: raw, Root: "/data"}
	if known {
		s.To = policy.Classify(tool, raw, listed).To
	}
	for _, effect := range []string{"allow", "deny"} {
		man := parse(t, fmt.Sprintf("version: 1\nrules:\n  - {id: r, effect: %s, args: {%s}}\n", effect, test))
		if man.Judge(s).Effect != "" {
			got += "y"
		} else {
			got += "n"
		}
	}
	if got == "yn" {
		t.Errorf("%s on %s %s: what is allowed for certain is not denied", test, tool, raw)
	}
	return got
}

// TestJudge_request: what a request says can be written in many ways, and a rule about it holds for all of them. What is
// not certain is never allowed, and always denied.
func TestJudge_request(t *testing.T) {
	t.Parallel()
	body := func(b string) m {
		return m{"method": "POST", "url": "/ghost/api/admin/posts/", "tool": "ghost", "body": b}
	}
	to := func(url, tool string) m {
		if tool == "" {
			return m{"method": "POST", "url": url}
		}
		return m{"method": "POST", "url": url, "tool": tool}
	}
	const (
		published = `body.status: {equals: published}`
		ghost     = `tool: {equals: ghost}`
		admin     = `url: {prefix: "https://ghost.example.com/ghost/api/admin/"}`
		bare      = `url: {prefix: /ghost/api/admin/}`
		outbox    = `url: {prefix: /apps/mail/}`
	)
	for _, tc := range []struct {
		test string
		args m
		want string
	}{
		{published, body(`{"status":"published"}`), "yy"},
		{published, body(`{"status":"draft"}`), "nn"},
		{published, body(`{"title":"x"}`), "nn"},
		{published, body(``), "nn"},
		{published, body(`{"Status":"published"}`), "ny"},
		{published, body(`{"status":"draft","status":"published"}`), "ny"},
		{published, body(`{"\u0073tatus":"published"}`), "yy"},
		{published, body(`[{"status":"published"},{"status":"draft"}]`), "ny"},
		{published, body(`status=published&title=x`), "yy"},
		{published, body(`status=draft&status=published`), "ny"},
		{published, body(`no fields at all`), "ny"},
		{published, body(`{"status":`), "ny"},
		{published, body(`{"status":["published"]}`), "yy"},
		{published, body(`{"status":{"x":1}}`), "ny"},
		{published, m{"method": "POST", "url": "/x?status=published", "tool": "ghost"}, "ny"},
		{published, m{"method": "POST", "url": "/x?status=draft", "tool": "ghost", "body": `{"status":"published"}`}, "ny"},
		{`body.posts.status: {equals: published}`, body(`{"posts":[{"status":"draft"},{"status":"published"}]}`), "ny"},
		{`body.posts.status: {equals: published}`, body(`posts[0][status]=published`), "yy"},
		{`body.amount: {equals: "1000000"}`, body(`{"amount":1000000}`), "yy"},
		{`body.amount: {equals: "1000000"}`, body(`{"amount":1e6}`), "yy"},
		{`body.amount: {max: 10}`, body(`{"amount":11}`), "nn"},
		{`body.amount: {max: 10}`, body(`amount=9`), "ny"},

		{ghost, to("/ghost/api/admin/posts/", "ghost"), "yy"},
		{ghost, to("/ghost/api/admin/posts/", "Gh_ost"), "yy"},
		{ghost, to("/ghost/api/admin/posts/", "blog"), "ny"},
		{ghost, to("https://ghost.example.com/ghost/api/admin/posts/", ""), "ny"}, // either of its names
		{`tool: {one_of: [ghost, blog]}`, to("https://ghost.example.com/ghost/api/admin/posts/", ""), "yy"},
		{ghost, to("/api/v1/accounts/1/labels", "chatwoot"), "nn"},
		{ghost, to("https://chat.example.com/api/v1/accounts/1/labels", ""), "nn"},
		{ghost, m{"method": "GET", "url": "https://news.example.com/"}, "nn"},

		{admin, to("https://ghost.example.com/ghost/api/admin/posts/", "ghost"), "yy"},
		{admin, to("https://ghost.example.com:443/ghost/api/admin/posts/", ""), "yy"},
		{admin, to("HTTPS://Ghost.Example.Com/ghost/api/%61dmin/posts/", ""), "yy"},
		{admin, to("/ghost/api/admin/posts/", "ghost"), "yy"},
		{admin, to("/ghost/api/content/posts/", "ghost"), "nn"},
		{admin, to("/ghost/api/admin/posts/", "chatwoot"), "nn"},
		{admin, to("https://chat.example.com/ghost/api/admin/", ""), "nn"},
		{bare, to("https://ghost.example.com/ghost/api/admin/posts/", ""), "yy"},
		{bare, to("/ghost/api/admin", "ghost"), "ny"},
		{bare, to("/ghost/api/content/x", "ghost"), "nn"},
		{outbox, to("/index.php/apps/mail/api/outbox", "cloud"), "ny"},
		{`url: {equals: "https://chat.example.com/api/v1/x"}`, to("/api/v1/x/?a=b", "chatwoot"), "ny"},
		{`url: {equals: "https://chat.example.com/api/v1/x"}`, to("/api/v1/y", "chatwoot"), "nn"},
		{`url: {glob: "*/admin/*"}`, to("/ghost/api/admin/posts/", "ghost"), "yy"},
		{`url: {suffix: /posts/}`, to("/ghost/api/admin/posts", "ghost"), "ny"},
		{`url: {prefix: "https://ghost"}`, to("not an address", "ghost"), "ny"},
	} {
		if got := verdicts(t, tc.test, "http_request", tc.args, true); got != tc.want {
			t.Errorf("%s on %v: %s, want %s", tc.test, tc.args, got, tc.want)
		}
	}
	for test, args := range map[string]m{ghost: to("https://ghost.example.com/x", ""), admin: to("/ghost/api/admin/posts/", "ghost")} {
		if got := verdicts(t, test, "http_request", args, false); got != "ny" {
			t.Errorf("%s on %v, with nothing known of where it goes: %s", test, args, got)
		}
	}
}

// TestJudge_reach: what deletes or searches may be told a pattern or a folder above, and touches what a rule names all the
// same. What writes one file touches that one, whatever it is called.
func TestJudge_reach(t *testing.T) {
	t.Parallel()
	const (
		under   = `path: {under: contracts}`
		deep    = `path: {under: clients/contracts}`
		equals  = `path: {equals: contracts/a.pdf}`
		prefix  = `path: {prefix: contracts/a}`
		suffix  = `path: {suffix: .pdf}`
		pattern = `path: {glob: "contracts/*.pdf"}`
	)
	for _, tc := range []struct{ test, tool, path, want string }{
		{under, "file_delete", "contracts/a.pdf", "yy"},
		{under, "file_delete", "contracts/*.pdf", "yy"},
		{under, "file_delete", "contract?/a.pdf", "ny"},
		{under, "file_delete", "c*/*.pdf", "ny"},
		{under, "file_delete", "**/a.pdf", "ny"},
		{under, "file_delete", "[c]ontracts", "ny"},
		{under, "file_delete", `contract\s/*.pdf`, "ny"},
		{under, "file_delete", "/data/contract?", "ny"},
		{under, "file_delete", "notes/../c*", "ny"},
		{under, "file_delete", "notes/*.pdf", "nn"},
		{under, "file_delete", "contract", "nn"},
		{under, "file_delete", "n*/a.pdf", "nn"},
		{deep, "file_delete", "clients", "ny"},
		{deep, "file_delete", "client?", "ny"},
		{deep, "file_delete", "clients/other", "nn"},
		{deep, "file_search", ".", "ny"},
		{deep, "file_list", ".", "nn"},
		{under, "file_write", "contract?/a.pdf", "nn"},
		{under, "file_write", "contracts/[a].pdf", "yy"},
		{equals, "file_delete", "contracts", "ny"},
		{equals, "file_delete", "contracts/?.pdf", "ny"},
		{equals, "file_delete", "contracts/b.pdf", "nn"},
		{equals, "file_delete", "contracts/a.pdf/b", "nn"},
		{prefix, "file_delete", "contracts", "ny"},
		{prefix, "file_delete", "con*", "ny"},
		{prefix, "file_delete", "contracts/b", "nn"},
		{suffix, "file_delete", "notes/*", "ny"},
		{suffix, "file_delete", "notes/*.txt", "nn"},
		{suffix, "file_delete", "notes/*.pdf", "yy"},
		{pattern, "file_delete", "contracts", "ny"},
		{pattern, "file_delete", "contracts/**", "ny"},
		{pattern, "file_delete", "notes/*.pdf", "nn"},
	} {
		if got := verdicts(t, tc.test, tc.tool, m{"path": tc.path}, true); got != tc.want {
			t.Errorf("%s on %s %s: %s, want %s", tc.test, tc.tool, tc.path, got, tc.want)
		}
	}
}

// TestJudge_command: to a program, letters of either case are two.
func TestJudge_command(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{"cp a b": "yy", "cp A b": "ny", "cp a c": "nn"} {
		if got := verdicts(t, `command: {equals: cp a b}`, "shell", m{"command": command}, true); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

// TestJudge_every: what allows needs the value in every element, spelled as readers spell it, and nothing beside it that a
// reader could take instead.
func TestJudge_every(t *testing.T) {
	t.Parallel()
	const (
		posts  = `body.posts.status: {equals: draft}`
		status = `body.status: {equals: draft}`
		deep   = `body.posts.tags.name: {equals: news}`
	)
	for _, tc := range []struct{ test, body, want string }{
		{posts, `{"posts":[{"status":"draft"},{"status":"draft"}]}`, "yy"},
		{posts, `{"posts":{"status":"draft"}}`, "yy"},
		{posts, `{"posts":[{"status":"draft"},{"Status":"published"}]}`, "ny"},
		{posts, `{"posts":[{"status":"draft"},{"Status":"draft"}]}`, "ny"},
		{posts, `{"posts":[{"status":"draft"},{}]}`, "ny"},
		{posts, `{"posts":[{"status":"draft"},"published"]}`, "ny"},
		{posts, `{"Posts":[{"status":"draft"}]}`, "ny"},
		{posts, `[{"posts":{"status":"draft"}},{"pages":{}}]`, "ny"},
		{posts, `posts[0][status]=draft&posts[0][title]=x&posts[1][status]=draft`, "yy"},
		{posts, `posts[0][status]=draft&posts[1][title]=x`, "ny"},
		{posts, `posts[][status]=draft&posts[][title]=x&posts[][title]=y`, "ny"},
		{posts, `posts[status]=draft&posts=x`, "ny"},
		{posts, `posts.status=draft`, "yy"},
		{deep, `{"posts":[{"tags":[{"name":"news"}]},{"tags":[{"name":"news"},{"name":"news"}]}]}`, "yy"},
		{deep, `{"posts":[{"tags":[{"name":"news"}]},{}]}`, "ny"},
		{deep, `{"posts":[{"tags":[{"name":"news"},{"slug":"x"}]}]}`, "ny"},
		{status, `status=draft`, "yy"},
		{status, `status[]=draft`, "yy"},
		{status, `status=draft&Status=published`, "ny"},
		{status, `status=draft&status[x]=published`, "ny"},
		{status, `status[x]=draft`, "ny"},
		{status, `Status=draft`, "ny"},
		{status, "status" + strings.Repeat("[x]", 100) + "=draft", "ny"},
		{status, `<post status="published"/>`, "ny"},
		{`body.status: {equals: published}`, `<post status="published"/>`, "ny"},
	} {
		if got := verdicts(t, tc.test, "http_request", m{"method": "POST", "url": "/x", "tool": "ghost", "body": tc.body}, true); got != tc.want {
			t.Errorf("%s on %s: %s, want %s", tc.test, tc.body, got, tc.want)
		}
	}
	if got := verdicts(t, `parts.kind: {equals: a}`, "other", m{"parts": []m{{"kind": "a"}, {"name": "b"}}}, false); got != "ny" {
		t.Errorf("another tool: %s", got)
	}
}

// TestJudge_addresses: a rule about one host is about no other that is written alike, and one about paths looks at nothing
// behind them. A pattern of hosts knows the spellings that a host knows.
func TestJudge_addresses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ test, url, want string }{
		{`prefix: "https://g.example.com:443"`, "https://g.example.com/x", "yy"},
		{`prefix: "https://g.example.com:443"`, "https://g.example.com:8443/x", "ny"},
		{`prefix: "https://g.example.com"`, "https://g.example.com.evil.example/x", "ny"},
		{`prefix: "https://g.example.com"`, "https://g.example.com?x=1", "yy"},
		{`prefix: "https://g.example.com:8443"`, "https://g.example.com:84430/x", "ny"},
		{`prefix: "https://g.example.com/"`, "https://g.example.com:443/x", "yy"},

		{`suffix: /tags`, "https://g.example.com/ghost/api/admin/tags", "yy"},
		{`suffix: /tags`, "https://g.example.com/ghost/api/admin/posts?x=/tags", "ny"},
		{`suffix: "/tags?x=1"`, "https://g.example.com/posts?y=/tags?x=1", "ny"},
		{`suffix: "/tags?x=1"`, "https://g.example.com/a/tags?x=1", "yy"},
		{`glob: /ghost/*/tags`, "https://g.example.com/ghost/api/admin/tags", "yy"},
		{`glob: /ghost/*/tags`, "https://g.example.com/ghost/api/admin/posts?x=/tags", "ny"},
		{`glob: "/ghost/*/tags?x=*"`, "https://g.example.com/ghost/api/posts?y=/tags?x=1", "ny"},
		{`glob: "/ghost/*/tags?x=*"`, "https://g.example.com/ghost/api/tags?x=1", "yy"},
		{`glob: /ghost/*`, "https://g.example.com/ghost/api/posts?y=1", "yy"},
		{`equals: /ghost/api`, "https://g.example.com/ghost/api?y=1", "ny"},
		{`equals: "/a?x=%26y"`, "https://g.example.com/a?x=%26y", "yy"},
		{`equals: "/a?x=%26y"`, "https://g.example.com/a?x=&y", "ny"},
		{`prefix: "/a?x=%61"`, "https://g.example.com/a?x=ab", "ny"},

		{`glob: "https://*.example.com/a%20b*"`, "https://g.example.com/a%20bc", "yy"},
		{`glob: "https://*.example.com:443/x*"`, "https://g.example.com/x/y", "yy"},
		{`glob: "https://*.example.com:443/x*"`, "https://g.example.com:8443/x/y", "nn"},
		{`glob: "HTTPS://*.Example.com/x*"`, "https://g.example.com:443/x/y", "yy"},
		{`glob: "*://g.example.com:443/x"`, "https://g.example.com/x", "ny"},
		{`glob: "https://*.bücher.de/x*"`, "https://g.xn--bcher-kva.de/x/y", "yy"},
		{`glob: "https://*.xn--bcher-kva.de/x*"`, "https://g.Bücher.de/x/y", "yy"},
		{`glob: "https://*bücher.de/x*"`, "https://g.bücher.de/x/y", "ny"},
		{`glob: "*xn--bcher-kva.de/x*"`, "https://g.bücher.de/x/y", "ny"},
		{`glob: "*//*.xn--bcher-kva.de/x*"`, "https://g.bücher.de/x/y", "yy"},
		{`glob: "*bücher.de/x*"`, "https://g.bücher.de/x/y", "ny"},
		{`equals: "https://strasse.de/x"`, "https://straße.de/x", "nn"},
		{`glob: "https://*.example.com/x*"`, "https://evil.test/a.example.com/x", "ny"},
		{`glob: "https://*"`, "https://g.example.com/x?y", "yy"},
		{`glob: "https://g.example.com"`, "https://g.example.com/x", "nn"},
		{`glob: "*/a%20b"`, "https://g.example.com/x/a%20b", "yy"},

		{`glob: "*example.com/*"`, "https://evil.test/example.com/x", "ny"},
		{`glob: "*.example.com/api/*"`, "https://evil.test/a.example.com/api/x", "ny"},
		{`glob: "https*api.example.com/*"`, "https://evil.test/api.example.com/x", "ny"},
		{`glob: "*/api.example.com/*"`, "https://api.example.com/x", "ny"},
		{`glob: "//api.example.com/*"`, "https://evil.test//api.example.com/x", "ny"},
		{`glob: "*//api.example.com/*"`, "https://api.example.com/x", "yy"},
		{`glob: "*//api.example.com/*"`, "https://evil.test//api.example.com/x", "ny"},
		{`glob: "*"`, "https://g.example.com/x?y", "yy"},
		{`glob: "*"`, "https://g.example.com", "yy"},
		{`glob: "/*.pdf"`, "https://g.example.com/x/a.pdf", "yy"},
		{`suffix: api.example.com/x`, "https://evil.test/api.example.com/x", "ny"},
		{`suffix: //api.example.com/x`, "https://evil.test//api.example.com/x", "ny"},
		{`suffix: "s://api.example.com/x"`, "https://evil.test/s://api.example.com/x", "ny"},
		{`suffix: /g.example.com`, "https://g.example.com", "ny"},
		{`prefix: //api.example.com/`, "https://evil.test//api.example.com/x", "ny"},
		{`equals: //api.example.com/x`, "https://evil.test//api.example.com/x", "ny"},
		{`prefix: "https://"`, "https://g.example.com:8443/x", "yy"},
		{`prefix: "HTTPS://"`, "https://g.example.com", "yy"},
		{`prefix: "https://"`, "http://g.example.com/x", "nn"},
		{`prefix: "https:"`, "https://g.example.com/x", "yy"},
	} {
		if got := verdicts(t, "url: {"+tc.test+"}", "http_request", m{"method": "POST", "url": tc.url}, false); got != tc.want {
			t.Errorf("%s on %s: %s, want %s", tc.test, tc.url, got, tc.want)
		}
	}
}

// TestJudge_domains: a domain in its own letters and in ASCII is one, in a part of an address as in a whole one.
func TestJudge_domains(t *testing.T) {
	t.Parallel()
	for _, test := range []string{
		`suffix: "@bücher.de"`, `suffix: "@XN--BCHER-KVA.de"`, `suffix: bücher.de`, `suffix: Bücher.DE`, `suffix: xn--bcher-kva.de`,
		`glob: "*@bücher.de"`, `glob: "*bücher.de"`, `glob: "*@xn--bcher-kva.*"`, `glob: "*@*cher.de"`, `equals: a@BÜCHER.de`, `prefix: "a@bü"`,
	} {
		for _, to := range []string{"a@bücher.de", "A@Bücher.De", "a@xn--bcher-kva.de", "a@XN--Bcher-KVA.de"} {
			if got := verdicts(t, "to: {"+test+"}", "message", m{"to": to}, false); got != "yy" {
				t.Errorf("%s on %s: %s", test, to, got)
			}
		}
	}
	for _, tc := range []struct{ test, to, want string }{
		{`suffix: bücher.de`, "a@sub.bücher.de", "yy"},
		{`suffix: .bücher.de`, "a@sub.xn--bcher-kva.de", "yy"},
		{`suffix: .xn--bcher-kva.de`, "a@sub.bücher.de", "yy"},
		{`glob: "*@*.bücher.de"`, "a@sub.xn--bcher-kva.de", "yy"},
		{`glob: "*@*.xn--bcher-kva.de"`, "a@sub.Bücher.de", "yy"},
		{`suffix: "@bücher.de"`, "a@sub.bücher.de", "nn"},
		{`suffix: "@bücher.de"`, "a@bücher.de.evil.test", "nn"},
		{`suffix: "@strasse.de"`, "a@xn--strae-oqa.de", "ny"},
		{`suffix: "@straße.de"`, "a@xn--strae-oqa.de", "ny"},
	} {
		if got := verdicts(t, "to: {"+tc.test+"}", "message", m{"to": tc.to}, false); got != tc.want {
			t.Errorf("%s on %s: %s, want %s", tc.test, tc.to, got, tc.want)
		}
	}
}

// TestJudge_certain: what a test allows for certain, it denies, however the two are written.
func TestJudge_certain(t *testing.T) {
	t.Parallel()
	hosts := []string{"g.example.com", "G.Example.Com", "bücher.de", "xn--bcher-kva.de", "*.example.com", "*", "*cher.de", "g.example.com.evil.test", "strasse.de", "straße.de", ""}
	parts := []string{"/", "/a", "/%61", "/a/", "/a%20b", "/*", "/a/*/b", "/x/../a", "//a", "/index.php/a", "/A.json", "*/a", "*.json", "g.example.com/a"}
	behind := []string{"", "?x=1", "?x=%31", "?x=/a", "?*", "?x=%26y", "?x=&y"}
	rapid.Check(t, func(t *rapid.T) {
		address := func(what string) string {
			host := rapid.SampledFrom([]string{"", "https://", "HTTPS://", "http://", "*//", "//"}).Draw(t, what+" scheme")
			if host != "" {
				host += rapid.SampledFrom(hosts).Draw(t, what+" host") + rapid.SampledFrom([]string{"", ":443", ":80", ":8443"}).Draw(t, what+" port")
			}
			return host + rapid.SampledFrom(append(parts, "")).Draw(t, what+" path") + rapid.SampledFrom(behind).Draw(t, what+" query")
		}
		text := address("test")
		test := rapid.SampledFrom([]policy.Test{{Equals: &text}, {Prefix: text}, {Suffix: text}, {Glob: text}, {Glob: text + "*"}, {OneOf: []string{"x", text}}}).Draw(t, "how")
		raw, err := json.Marshal(m{"method": "POST", "url": address("call")})
		if err != nil {
			t.Fatal(err)
		}
		s := policy.Subject{Agent: "secretary", Tool: "http_request", Args: raw, To: rapid.SampledFrom([]*policy.Destination{nil, {Bases: []string{"https://g.example.com:443"}}}).Draw(t, "to")}
		judge := func(e policy.Effect) bool {
			man := policy.Manifest{Rules: []policy.Rule{{ID: "r", Effect: e, Args: map[string]policy.Test{"url": test}}}}
			return man.Judge(s).Effect != ""
		}
		if judge(policy.Allow) && !judge(policy.Deny) {
			t.Fatalf("%q on %s: allowed, and not denied", text, raw)
		}
	})
}

// TestJudge_work: a body is walked once, however many rules ask for parts of it. What is counted is what is allotted: the
// walk of a body needs memory for each of its names. It counts for the whole process, so it runs alone.
func TestJudge_work(t *testing.T) {
	of := func(rules, elements int) float64 {
		man := &policy.Manifest{}
		word := "published"
		for i := range rules {
			man.Rules = append(man.Rules, policy.Rule{ID: fmt.Sprint("r", i), Effect: policy.Deny, Args: map[string]policy.Test{fmt.Sprintf("body.posts.f%d", i): {Equals: &word}}})
		}
		raw, err := json.Marshal(m{"method": "POST", "url": "/x", "tool": "ghost", "body": `{"posts":[` + strings.Repeat(`{"Status":"draft"},`, elements) + `{}]}`})
		if err != nil {
			t.Fatal(err)
		}
		s := policy.Subject{Agent: "secretary", Tool: "http_request", Args: raw}
		return testing.AllocsPerRun(1, func() { man.Judge(s) })
	}
	few, many := of(1, 2000), of(101, 2000)
	t.Logf("%.0f for one rule, %.0f for a hundred more", few, many-few)
	if most := 100.0 * 100; many-few > most {
		t.Errorf("a hundred rules more: %.0f more, want %.0f at most; one alone %.0f", many-few, most, few)
	}
}

// BenchmarkJudge_body judges the largest body by many rules: those that ask for what it holds, and for what it does not.
func BenchmarkJudge_body(b *testing.B) {
	for name, field := range map[string]string{"one field": "status", "another each": ""} {
		man := &policy.Manifest{}
		word := "published"
		for i := range 500 {
			at := field
			if at == "" {
				at = fmt.Sprint("f", i)
			}
			man.Rules = append(man.Rules, policy.Rule{ID: fmt.Sprint("r", i), Effect: policy.Deny, Args: map[string]policy.Test{"body.posts." + at: {Equals: &word}}})
		}
		raw, err := json.Marshal(m{"method": "POST", "url": "/x", "tool": "ghost", "body": `{"posts":[` + strings.Repeat(`{"status":"draft"},`, 1<<20/20) + `{}]}`})
		if err != nil {
			b.Fatal(err)
		}
		s := policy.Subject{Agent: "secretary", Tool: "http_request", Args: raw}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				man.Judge(s)
			}
		})
	}
}
