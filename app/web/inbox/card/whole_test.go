package card

import (
	"encoding/json"
	"slices"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/views/ui"
)

// TestOf_whatTheDiffLeavesOut: nobody is asked to allow what they cannot read. Where the diff does not show all of the
// content, the content stands on the card too.
func TestOf_whatTheDiffLeavesOut(t *testing.T) {
	t.Parallel()
	const hunk = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+one\n"
	for name, c := range map[string]struct {
		unified string
		whole   bool
	}{
		"all":                {hunk + "+two\n", true},
		"a line about a cut": {hunk + "+@@ 3 KB more, not shown @@\n", true},
		"cut":                {hunk + "\n@@ 3 KB more, not shown @@\n", false},
		"too large":          {"--- a/a.txt\n+++ b/a.txt\n@@ too large to show: 1 MB before, 2 MB after @@\n", false},
		"nothing":            {"", false},
	} {
		a := wire.Approval{Tool: "file_write", Args: json.RawMessage(`{"path":"a.txt","content":"one\ntwo\n"}`), Diff: &wire.Diff{Path: "a.txt", Unified: c.unified}}
		want := []ui.Arg{{Name: "path", Value: "a.txt"}}
		if !c.whole {
			want = append(want, ui.Arg{Name: "content", Value: "one\ntwo\n"})
		}
		if p := Of(t.Context(), a, look()); !slices.Equal(p.Args, want) || p.Diff == nil {
			t.Errorf("%s: %+v", name, p.Args)
		}
	}
}
