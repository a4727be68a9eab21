package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"gatehouse/agentd/policy"
)

func TestClassify_files(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("a/", 5000) + "x"
	long := strings.Repeat("a", 5000)
	for _, c := range []struct {
		path string
		want map[string]policy.Tier // by tool; missing: forbidden
	}{
		{"notes.txt", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green, "file_write": policy.Yellow, "file_delete": policy.Red}},
		{"a/b/c.txt", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green, "file_write": policy.Yellow, "file_delete": policy.Red}},
		{"./a/../b.txt", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green, "file_write": policy.Yellow, "file_delete": policy.Red}},
		{"/opt/gatehouse/x.txt", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green, "file_write": policy.Yellow, "file_delete": policy.Red}},
		{"tmp/*.tmp", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green, "file_write": policy.Yellow, "file_delete": policy.Red}},
		{"%2e%2e/x", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green, "file_write": policy.Yellow, "file_delete": policy.Red}}, // a plain name
		{".", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green}},
		{".bashrc", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green, "file_delete": policy.Red}},
		{"x.service", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green, "file_delete": policy.Red}},
		{"folder/", map[string]policy.Tier{"file_read": policy.Green, "file_list": policy.Green, "file_delete": policy.Red}},
		{"..", nil},
		{"../x", nil},
		{"a/../../x", nil},
		{"/", nil},
		{"/etc/passwd", nil},
		{"/opt/gatehouse2/x", nil},
		{"/opt/gatehouse/../x", nil},
		{"/opt/state/x", nil},
		{"", nil},
		{deep, nil},
		{long, nil},
		{"a\x00b", nil},
		{"a\nb", nil},
		{"a\u202eb", nil},
		{"a\u00a0b", nil},
		{"a\u200bb", nil},
		{".env", nil},
		{"config/.env", nil},
		{".ENV", nil},
		{"config/.env.local", nil},
		{"x.pem", nil},
		{"x.key", nil},
		{".ssh/config", nil},
		{"a/.ssh/x/y", nil},
		{"id_rsa", nil},
		{"secrets/x.txt", nil},
		{"permissions.yaml", nil},
		{"agentd", nil},
		{"bin/agentd", nil},
		{"model.key", nil},
		{"authorized_keys", nil},
	} {
		for _, tool := range []string{"file_read", "file_list", "file_write", "file_delete"} {
			args := map[string]string{"path": c.path}
			if tool == "file_write" {
				args["content"] = "x"
			}
			want, ok := c.want[tool]
			if !ok {
				want = policy.Forbidden
			}
			if got := classify(t, tool, args); got.Tier != want || got.Says == "" || got.Action == "" {
				t.Errorf("%s %.40q: %+v, want %s", tool, c.path, got, want)
			}
		}
	}
	if got := classify(t, "file_write", map[string]string{"path": "x", "content": strings.Repeat("a", policy.MaxFile+1)}); got.Tier != policy.Forbidden {
		t.Errorf("too much content is %s", got.Tier)
	}
}

func classify(t testing.TB, tool string, args any) policy.Class {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return policy.Classify(tool, b, env)
}

func TestClassify_message(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]policy.Tier{
		"owner@example.com": policy.Green, "OWNER@Example.COM": policy.Green, "ｏｗｎｅｒ@example.com": policy.Green, "owner@ＥＸＡＭＰＬＥ.com": policy.Green,
		"someone@example.com": policy.YellowExternal, "owner@example.com.evil.test": policy.YellowExternal, "owner+x@example.com": policy.YellowExternal,
		"оwner@example.com":                   policy.Forbidden, // a Cyrillic letter
		"owner@exаmple.com":                   policy.YellowExternal,
		"owner@example.com,other@example.com": policy.Forbidden, "owner@example.com;other@example.com": policy.Forbidden, "owner@example.com other@example.com": policy.Forbidden,
		"Owner <owner@example.com>": policy.Forbidden, "<owner@example.com>": policy.Forbidden, "\"owner\"@example.com": policy.Forbidden,
		"owner@example.com\nbcc: x@example.com": policy.Forbidden, "owner@example.com\r\n": policy.Forbidden, " owner@example.com": policy.Forbidden, "owner@example.com ": policy.Forbidden,
		"owner": policy.Forbidden, "@example.com": policy.Forbidden, "owner@": policy.Forbidden, "owner@localhost": policy.Forbidden, "owner@@example.com": policy.Forbidden,
		"owner@example.com\u200b": policy.Forbidden, "owner@[127.0.0.1]": policy.Forbidden, "owner(x)@example.com": policy.Forbidden, "group:owner@example.com;": policy.Forbidden,
	} {
		got := classify(t, "message", policy.MessageArgs{To: to, Subject: "hello", Text: "text"})
		if got.Tier != want || (want == policy.YellowExternal) != (len(got.Outside) == 1) {
			t.Errorf("%q: %+v, want %s", to, got, want)
		}
	}
	for name, a := range map[string]policy.MessageArgs{
		"subject of two lines": {To: "owner@example.com", Subject: "a\nbcc: x@example.com", Text: "x"}, "no text": {To: "owner@example.com", Subject: "a", Text: " \n"},
		"other channel": {To: "owner@example.com", Subject: "a", Text: "x", Channel: "telegram"}, "NUL": {To: "owner@example.com", Subject: "a", Text: "x\x00y"},
	} {
		if got := classify(t, "message", a); got.Tier != policy.Forbidden {
			t.Errorf("%s: %s", name, got.Tier)
		}
	}
}

func TestClassify_dispatch(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]policy.Tier{"it-admin": policy.Green, "secretary": policy.Green, "": policy.Forbidden, "It-Admin": policy.Forbidden, "a b": policy.Forbidden, "../x": policy.Forbidden, "1x": policy.Forbidden} {
		if got := classify(t, "agent_dispatch", policy.DispatchArgs{Target: target, Task: "look"}); got.Tier != want {
			t.Errorf("%q is %s, want %s", target, got.Tier, want)
		}
	}
}

func TestClassify_failsClosed(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"nothing", `{}`},
		{"", `{}`},
		{"Shell", `{"command":"ls"}`},
		{"shell ", `{"command":"ls"}`},
		{"ｓhell", `{"command":"ls"}`},
		{strings.Repeat("x", 1<<20), `{}`},
		{"shell", ``},
		{"shell", `{}`},
		{"shell", `null`},
		{"shell", `[]`},
		{"shell", `{"command":1}`},
		{"shell", `{"command":null}`},
		{"shell", `{"command":"ls","x":1}`},
		{"shell", `{"command":"rm x","command":"ls"}`},
		{"shell", `{"Command":"ls"}`},
		{"shell", `{"command":"ls"} x`},
		{"shell", "{\"command\":\"\xff\"}"},
		{"file_read", `{"path":NaN}`},
		{"file_write", `{"path":"x"}`},
	} {
		got := policy.Classify(c[0], []byte(c[1]), env)
		if got.Tier != policy.Forbidden || len(got.Says) > 64<<10 || got.Says == "" {
			t.Errorf("%.20q %q: %s %.80q", c[0], c[1], got.Tier, got.Says)
		}
	}
}

// TestShell_says: what a person decides on shows everything that is there.
func TestShell_says(t *testing.T) {
	t.Parallel()
	got := policy.Shell("rm a.txt\nrm b.txt", env)
	if got.Says != "Run rm a.txt ⏎ rm b.txt" || got.Why == "" || got.Action != "server.shell.run" {
		t.Errorf("%+v", got)
	}
	if c := classify(t, "message", policy.MessageArgs{To: "a@example.com", Subject: "\u202eolleh", Text: "x"}); !strings.Contains(c.Says, "‹U+202E›") {
		t.Errorf("%q hides a character", c.Says)
	}
}

// TestClassify_saysWhole: a sentence is not cut here, where nobody knows a secret that lies across the cut; and what may be
// long stands behind what must be seen.
func TestClassify_saysWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(strings.Repeat("a", 199)+"/", 5) + "b"
	for tool, args := range map[string]any{
		"shell":          policy.ShellArgs{Command: "echo " + long},
		"docker":         policy.DockerArgs{Args: []string{"ps", "--filter", long}},
		"sql_query":      policy.SQLArgs{Query: "SELECT '" + long + "'"},
		"message":        policy.MessageArgs{To: "a@example.com", Subject: long, Text: "x"},
		"agent_dispatch": policy.DispatchArgs{Target: "writer", Task: long},
		"file_read":      policy.FileReadArgs{Path: long},
		"env_update":     policy.EnvUpdateArgs{Path: "shop/" + long + "/.env", Updates: map[string]string{"A": "1"}},
		"browser":        policy.BrowserArgs{Action: "fill", URL: "https://example.com/" + long, Ref: "#name", Text: "x"},
		"http_request":   policy.HTTPArgs{Method: "GET", URL: "https://ghost.example.com/" + long, Tool: "ghost"},
	} {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		c := policy.Classify(tool, raw, byName)
		if _, behind, whole := strings.Cut(c.Says, long); !whole || len(behind) > len("/.env") {
			t.Errorf("%s: %s %.400q", tool, c.Tier, c.Says)
		}
	}
	if c := policy.Shell("ls --"+long, env); !strings.Contains(c.Why, long) {
		t.Errorf("a reason is cut: %.400q", c.Why)
	}
}

func TestArgv_looksAtRealWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		argv []string
		want policy.Tier
	}{
		{[]string{"cat", "a b.txt"}, policy.Green},
		{[]string{"cat", "*"}, policy.Green},
		{[]string{"cat", "$(rm x)"}, policy.Green},
		{[]string{"cat", "../x"}, policy.Red},
		{[]string{"cat", ".env"}, policy.Forbidden},
		{[]string{"grep", "x", "-f", "../list"}, policy.Red},
		{[]string{"sort", "-o", "x"}, policy.Red},
		{[]string{}, policy.Forbidden},
		{[]string{"sh"}, policy.Forbidden},
		{[]string{""}, policy.Forbidden},
		{[]string{"rm", "-rf", "/"}, policy.Forbidden},
		{[]string{"cat", "a\nb"}, policy.Forbidden},
	} {
		if got := policy.Argv(c.argv, env).Class; got.Tier != c.want {
			t.Errorf("%q is %s (%s), want %s", c.argv, got.Tier, got.Why, c.want)
		}
	}
	sub := env
	sub.Cwd = "/opt/gatehouse/sub"
	if got := policy.Argv([]string{"cat", "../x"}, sub).Class; got.Tier != policy.Green {
		t.Errorf("../x from a folder below is %s", got.Tier)
	}
	if got := policy.Redirected("../x", true, true, env).Class; got.Tier != policy.CriticalRed {
		t.Errorf("writing ../x is %s", got.Tier)
	}
}

func FuzzRel(f *testing.F) {
	for _, p := range []string{"a", "../a", "/opt/gatehouse/a", "a/../../b", "a//b", "./.", "/opt/gatehouse/../../etc"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		rel, _, ok := policy.Rel(p, env)
		if ok && (rel == "" || strings.HasPrefix(rel, "/") || rel == ".." || strings.HasPrefix(rel, "../") || strings.Contains(rel, "/../")) {
			t.Fatalf("%q became %q", p, rel)
		}
	})
}
