package page

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// wantEachOpened fails unless somebody opens each page of the list, and says of every other address why nobody does.
func wantEachOpened(t *testing.T, visits map[string]visit) {
	t.Helper()
	b, err := os.ReadFile("testdata/routes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#":
		case f[1] == "-":
			if len(f) == 2 {
				t.Errorf("nobody opens %s, and nothing says why", f[0])
			}
		case !slices.ContainsFunc(visits[f[1]].paths, func(path string) bool { return fits(f[0], path) }):
			t.Errorf("%s does not open %s", f[1], f[0])
		}
	}
}

// fits says whether a path is one of a route: the page of a new customer is not that of a customer called new.
func fits(route, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	want, have := strings.Split(route, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, have, func(want, have string) bool {
		return want == have || strings.HasPrefix(want, ":") && !slices.Contains(words, have)
	})
}

// words stand where other pages have a name.
var words = []string{"new", "alerts", "history", "invite", "leave"}
