package repocheck

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// clocks may read the machine's clock themselves. Everything else is given the time, so that a test can move it: what
// ends, expires or is ordered by a clock that nobody can move is tested by nobody.
var clocks = map[string]string{
	"agentd/gate/guardian.go":                             "how long the guardian took, for the record",
	"agentd/link/client.go":                               "how long a connection lived, for the pause before the next",
	"agentd/llm/proxy/read.go":                            "the deadline of a socket, which the kernel keeps",
	"agentd/certificate/acmetest/authority.go":            "since when the certificate of an authority for tests is good",
	"agentd/channel/email/mailtest/server.go":             "since when its certificate is good and how long it may take to begin, in tests",
	"agentd/llm/via/child.go":                             "how long a process lived, for the pause before the next",
	"agentd/runtime/stopwatch.go":                         "effort, by the process's own clock",
	"agentd/taint/tracker.go":                             "since when a call can have changed files, beside what the file system says",
	"agentd/tools/shell/inside/runner.go":                 "what the program time prints",
	"agentd/vault/patience.go":                            "how long a service was given, by the process's own clock",
	"app/provider/vpshost/hetzner/hetznertest/project.go": "times that the stand-in of an API answers with, in tests",
	"app/provider/vpshost/netcup/netcuptest/panel.go":     "times that the stand-in of an API answers with, in tests",
	"app/provider/vpshost/netcup/netcuptest/server.go":    "the same",
	"app/provider/vpshost/local/run.go":                   "when a process was started, beside what the kernel says",
	"app/provider/vpshost/local/watch.go":                 "how long a process lived, for the pause before the next",
	"app/web/observe.go":                                  "how long an answer took, for the metrics",
	"app/web/stream.go":                                   "the deadline of a connection, which the kernel keeps",
	"jobs/moves.go":                                       "when the queue, which has a clock of its own, should have moved",
}

// edges are the programs themselves, and what runs one in tests: there the time is given.
var edges = []string{"cmd", "docs/allow", portalRig}

// TestClocks: nothing but what is named reads the clock, and each of those still does.
func TestClocks(t *testing.T) {
	t.Parallel()
	read := map[string]string{}
	for _, s := range allSources(t) {
		if slices.ContainsFunc(edges, func(dir string) bool { return under(s.path, dir) }) {
			continue
		}
		if by := readsClock(s); by != "" {
			read[s.path] = by
		}
	}
	for _, path := range slices.Sorted(maps.Keys(read)) {
		if clocks[path] == "" {
			t.Errorf("%s calls %s: let it be given the time", path, read[path])
		}
	}
	for path := range clocks {
		if read[path] == "" {
			t.Errorf("%s does not read the clock any more: take it off the list", path)
		}
	}
}

// readsClock says by what a file reads the clock. To hand time.Now on is how the time is given, and no reading.
func readsClock(s source) string {
	if s.imports["."] == "time" {
		return "names without their package"
	}
	for _, u := range s.uses(true) {
		if u == "time.Now" || u == "time.Since" || u == "time.Until" {
			return u
		}
	}
	return ""
}

func TestClocks_areSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`import "time"; var at = time.Now()`:                      "time.Now",
		`import "time"; var at = (time.Now)()`:                    "time.Now",
		`import clock "time"; var at = clock.Now().UTC()`:         "time.Now",
		`import "time"; func f(t time.Time) { g(time.Since(t)) }`: "time.Since",
		`import "time"; func f(t time.Time) { g(time.Until(t)) }`: "time.Until",
		`import . "time"; var at = Now()`:                         "names without their package",
		`import "time"; var now = time.Now`:                       "",
		`import "time"; var s = Service{Now: time.Now}`:           "",
		`import "example/time"; var at = time.Now()`:              "",
		`type time struct{}; func (time) Now() {}`:                "",
	} {
		s, err := parseSource("x.go", "package x\n"+strings.ReplaceAll(text, ";", "\n"))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := readsClock(s); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
