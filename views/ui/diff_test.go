package ui

import "testing"

func TestParseUnified(t *testing.T) {
	t.Parallel()
	hunks := ParseUnified("--- a/x\n+++ b/x\n@@ -3,4 +3,5 @@ heading\n same\n-old\n+new\n+more\n\n@@ -20 +21 @@\n-last\n\\ No newline at end of file\n+last line\n")
	if len(hunks) != 2 {
		t.Fatalf("%d hunks", len(hunks))
	}
	want := []DiffLine{{"same", 3, 3, "same"}, {"del", 4, 0, "old"}, {"add", 0, 4, "new"}, {"add", 0, 5, "more"}, {"same", 5, 6, ""}}
	for i, l := range hunks[0].Lines {
		if l != want[i] {
			t.Errorf("line %d: %+v, want %+v", i, l, want[i])
		}
	}
	if last := hunks[1].Lines; len(last) != 2 || last[0] != (DiffLine{"del", 20, 0, "last"}) || last[1] != (DiffLine{"add", 0, 21, "last line"}) {
		t.Errorf("%+v", last)
	}
}

func TestParseUnified_notADiff(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "hello\nworld", "@@", "@@ -x +y @@\n+line"} {
		for _, h := range ParseUnified(text) {
			for _, l := range h.Lines {
				if l.Kind != "add" {
					t.Errorf("%q: %+v", text, l)
				}
			}
		}
	}
}

func TestDiffFile_foldsLongChanges(t *testing.T) {
	t.Parallel()
	if (DiffFile{Added: 200, Deleted: 200}).folded() || !(DiffFile{Added: 201, Deleted: 200}).folded() {
		t.Error("files fold above 400 changed lines")
	}
}
