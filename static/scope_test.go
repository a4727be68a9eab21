package static

import (
	"regexp"
	"slices"
	"testing"
)

// TestScope_noNameTwice: parts of one script share one scope, in which a second function of a name replaces the first
// without a word, also for the parts above it.
func TestScope_noNameTwice(t *testing.T) {
	t.Parallel()
	for asset, parts := range map[string][]string{
		"app.js": scripts, "private.js": private, "files.js": shelf, "support.js": support, "hook.js": hook,
		"channel.js": channel,
	} {
		if twice := declaredTwice(scope(parts)); len(twice) != 0 {
			t.Errorf("%s declares %q twice: give one of each a name of its own", asset, twice)
		}
	}
}

func TestDeclaredTwice(t *testing.T) {
	t.Parallel()
	const part = "function a() {\n  function inner() {}\n}\nasync function b() {}\n" +
		"const c = () => {\n  function inner() {}\n};\nlet d = 1;\n"
	if twice := declaredTwice([]byte(part)); len(twice) != 0 {
		t.Errorf("one part: %q", twice)
	}
	if twice := declaredTwice([]byte(part + part)); !slices.Equal(twice, []string{"a", "b", "c", "d"}) {
		t.Errorf("the same part again: %q", twice)
	}
	if twice := declaredTwice([]byte(part + "function* c() {}\nvar b = a;\nclass d {}\n")); !slices.Equal(twice, []string{"c", "b", "d"}) {
		t.Errorf("the same names in other ways: %q", twice)
	}
}

// declaration is one at the left edge, which is where the names of the shared scope stand: others are indented.
var declaration = regexp.MustCompile(`(?m)^(?:(?:async )?function\b\*? *|(?:const|let|var|class) +)([\w$]+)`)

func declaredTwice(script []byte) (twice []string) {
	seen := map[string]bool{}
	for _, m := range declaration.FindAllSubmatch(script, -1) {
		name := string(m[1])
		if seen[name] {
			twice = append(twice, name)
		}
		seen[name] = true
	}
	return twice
}
