package policy_test

import (
	"encoding/json"
	"flag"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gatehouse/agentd/policy"
	_ "gatehouse/agentd/seeded"
)

// FuzzClassify: whatever stands in a call, it is judged, in words, and by a tier that exists.
func FuzzClassify(f *testing.F) {
	for _, c := range calls(f) {
		f.Add(c.tool, string(c.args))
	}
	f.Fuzz(func(t *testing.T, tool, args string) {
		c := policy.Classify(tool, json.RawMessage(args), byName)
		if !slices.Contains(allTiers, c.Tier) || c.Says == "" || strings.Count(c.Action, ".") != 2 {
			t.Fatalf("%s %q: %+v", tool, args, c)
		}
		if c.Action == "tool.call.unreadable" {
			t.Fatalf("%s %q made the classifier stumble", tool, args)
		}
	})
}

// FuzzSQL: what is green is one statement that begins with a word of reading, and stays at least as risky with another
// statement behind it.
func FuzzSQL(f *testing.F) {
	looking := flag.Lookup("test.fuzz").Value.String() != ""
	for i, c := range calls(f) {
		if looking && i%20 != 0 {
			continue // to run every seed first takes longer than a short look lasts; the tests run them all
		}
		var a policy.SQLArgs
		if c.tool == "sql_query" && json.Unmarshal(c.args, &a) == nil {
			f.Add(a.Query, a.Engine)
		}
	}
	f.Fuzz(func(t *testing.T, query, engine string) {
		c := policy.SQL(policy.SQLArgs{Query: query, Engine: engine})
		if !slices.Contains(allTiers, c.Tier) {
			t.Fatalf("%q has the tier %q", query, c.Tier)
		}
		if strings.ContainsRune(query, 0) && c.Tier != policy.Forbidden {
			t.Fatalf("%q holds NUL and is %s", query, c.Tier)
		}
		if !slices.Contains([]string{"postgres", "mysql", "sqlite"}, engine) || c.Tier == policy.Forbidden {
			return
		}
		with := policy.SQL(policy.SQLArgs{Query: query + "\n;DROP DATABASE x", Engine: engine})
		if with.Tier.Rank() < policy.CriticalRed.Rank() {
			t.Fatalf("%q and a DROP DATABASE is %s", query, with.Tier)
		}
	})
}

// TestDocker_monotone: a word behind a call of docker never makes it look more harmless. The settings of a compose file
// are the one thing that words narrow: without any they hold passwords, with --volumes they are names alone.
func TestDocker_monotone(t *testing.T) {
	t.Parallel()
	var all [][]string
	for _, c := range calls(t) {
		var a policy.DockerArgs
		if c.tool == "docker" && json.Unmarshal(c.args, &a) == nil && len(a.Args) > 0 && !slices.Contains(a.Args, "config") {
			all = append(all, a.Args)
		}
	}
	more := []string{"-v", "--help", "--volumes", "--privileged", "web", "-f", "--", "--format", "ps", "-a", "--rm", "-H", "inspect", "--no-trunc", "-q"}
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom(all).Draw(t, "base")
		words := rapid.SliceOfN(rapid.SampledFrom(more), 1, 3).Draw(t, "more")
		before, after := policy.Docker(base, env), policy.Docker(slices.Concat(base, words), env)
		if after.Tier.Rank() < before.Tier.Rank() {
			t.Fatalf("%q is %s, with %q %s", base, before.Tier, words, after.Tier)
		}
		asShell := policy.Argv(append([]string{"docker"}, base...), env).Class
		if asShell.Tier != before.Tier && before.Action != "docker.engine.run" {
			t.Fatalf("%q is %s as a tool and %s as a command", base, before.Tier, asShell.Tier)
		}
	})
}

// TestHTTP_spellings: however a path is written that routers take for the same, it is no less risky.
func TestHTTP_spellings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]string{"/ghost/api/admin/users/1", "/ghost/api/admin/db", "/ghost/api/admin/posts", "/ghost/api/admin/members/upload"}).Draw(t, "path")
		method := rapid.SampledFrom([]string{"GET", "POST", "PUT", "DELETE"}).Draw(t, "method")
		at := rapid.IntRange(1, len(base)-1).Draw(t, "at")
		odd := []string{
			base[:at] + strings.ToUpper(base[at:]), base + "/", base + ".json", base[:at] + "%" + hexOf(base[at]) + base[at+1:], strings.Replace(base, "/api", "//api", 1),
			strings.Replace(base, "/api", "/./api", 1), strings.Replace(base, "/api", "/x/../api", 1), strings.Replace(base, "/api", "/%2e/api", 1), strings.Replace(base, "/api", ";a=b/api", 1),
			base + "?_method=GET", base + "?x=1", strings.Replace(base, "/api", "%2fapi", 1), strings.Replace(base, "/api", "\\api", 1), base + "#x",
		}
		with := func(path string) policy.Class {
			return policy.HTTP(policy.HTTPArgs{Method: method, URL: "https://ghost.example.com" + path, Tool: "ghost"}, byName)
		}
		before := with(base)
		for _, o := range odd {
			if after := with(o); after.Tier.Rank() < before.Tier.Rank() {
				t.Fatalf("%s %s is %s, %s is %s", method, base, before.Tier, o, after.Tier)
			}
		}
	})
}

func hexOf(c byte) string { return string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) }
