package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckClassify_lines: one line out for each line in, in order, whatever stands there.
func TestCheckClassify_lines(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "there.txt"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := [][2]string{
		{`{"id":1,"tool":"shell","args":{"command":"ls -la | head"}}`, "green"},
		{`{"id":"two","tool":"shell","args":{"command":"cp a.txt new.txt"}}`, "yellow"},
		{`{"id":3,"tool":"shell","args":{"command":"cp a.txt there.txt"}}`, "red"},
		{`{"id":4,"tool":"docker","args":{"args":["compose","down","-v"]}}`, "critical_red"},
		{`{"id":5,"tool":"http_request","args":{"method":"GET","url":"https://ghost.example.com/ghost/api/admin/posts/","tool":"ghost"}}`, "green"},
		{`{"id":6,"tool":"frobnicate","args":{}}`, "forbidden"},
		{`{"id":7,"tool":"shell","args":{"command":"ls","command":"rm x"}}`, "forbidden"},
		{`not JSON`, "forbidden"},
		{``, "forbidden"},
		{`{"id":8,"tool":"sql_query","args":{"query":"SELECT 1","engine":"postgres"}}`, "green"},
		{strings.Repeat("[", 100_000), "forbidden"},
		{`{"id":9,"tool":"ghost_publish","args":{"post":"5"}}`, "yellow_external"},
	}
	var in, want []string
	for _, l := range lines {
		in, want = append(in, l[0]), append(want, l[1])
	}
	got := tiersOf(t, []string{"check", "classify", "--root", root}, strings.Join(in, "\n")+"\n")
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestCheckClassify_registry: with a registry, only its hosts are the tools'.
func TestCheckClassify_registry(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	if err := os.WriteFile(filepath.Join(state, "tool-registry.json"), []byte(`{"tools":[{"name":"blog","kind":"ghost","internal_url":"http://127.0.0.1:2368","external_url":"https://blog.example.com"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(url, tool string) string {
		return `{"id":1,"tool":"http_request","args":{"method":"DELETE","url":"` + url + `","tool":"` + tool + `"}}`
	}
	got := tiersOf(t, []string{"check", "classify", "--state", state}, strings.Join([]string{
		ask("https://blog.example.com/ghost/api/admin/users/1/", "blog"), ask("http://127.0.0.1:2368/ghost/api/admin/posts/1/", "blog"), ask("/ghost/api/admin/posts/1/", "blog"),
		ask("https://ghost.example.com/ghost/api/admin/posts/1/", "ghost"), ask("http://127.0.0.1:2369/x", "blog"), ask("http://blog.example.com/x", "blog"),
	}, "\n"))
	if want := "critical_red red red forbidden forbidden forbidden"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func tiersOf(t *testing.T, args []string, in string) []string {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(in), &out, &errOut); code != 0 {
		t.Fatalf("exit %d: %s", code, errOut.String())
	}
	var tiers []string
	for line := range strings.Lines(out.String()) {
		var v verdict
		if err := json.Unmarshal([]byte(line), &v); err != nil || v.Summary == "" || v.Action == "" {
			t.Fatalf("%s: %v", line, err)
		}
		tiers = append(tiers, string(v.Tier))
	}
	return tiers
}
