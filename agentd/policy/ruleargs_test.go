package policy_test

import (
	"encoding/json"
	"fmt"
	"testing"

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
