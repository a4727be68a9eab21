package repocheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var quotedName = regexp.MustCompile("`([^`]+)`")

// TestProofs_exist: each test that the documents name as a proof is in a package that its line names. A name that ends in
// an ellipsis is the beginning of some.
func TestProofs_exist(t *testing.T) {
	t.Parallel()
	all := testsByPackage(t)
	for _, doc := range []string{"SECURITY.md", "docs/PROOFS.md"} {
		for line := range strings.Lines(document(t, doc)) {
			var names []string
			found := map[string]bool{}
			for _, m := range quotedName.FindAllStringSubmatch(line, -1) {
				switch name := m[1]; {
				case strings.HasPrefix(name, "Test"), strings.HasPrefix(name, "Fuzz"):
					names = append(names, name)
				default:
					for test := range all[name] {
						found[test] = true
					}
				}
			}
			for _, name := range names {
				if !provedBy(found, name) {
					t.Errorf("%s: %s is in no package that its line names: %.80s", doc, name, line)
				}
			}
		}
	}
}

func provedBy(found map[string]bool, name string) bool {
	begins, some := strings.CutSuffix(name, "…")
	if !some {
		return found[name]
	}
	for test := range found {
		if strings.HasPrefix(test, begins) {
			return true
		}
	}
	return false
}

// TestProofs_whole: every row is there once, in its order, with a threat and a proof.
func TestProofs_whole(t *testing.T) {
	t.Parallel()
	want, got := []string{"B11"}, []string(nil)
	for i := range 21 {
		want = append(want, fmt.Sprint("C", i+1))
	}
	for i := range 20 {
		want = append(want, fmt.Sprint("D", i+1))
	}
	for _, table := range []struct {
		letter string
		ids    []int
	}{
		{"E", []int{1, 2, 3, 8, 11, 18, 19, 20}}, // of what there is
		{"F", []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 14, 15, 17, 18, 19, 20}},
		{"I", []int{1, 2, 3, 4, 5, 6, 7, 10, 11, 15, 16, 17, 18}},
	} {
		for _, i := range table.ids {
			want = append(want, fmt.Sprint(table.letter, i))
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| ([BCDEFI][0-9]+) \\| [^|]{10,} \\| [^|]*`(?:Test|Fuzz)[^|]+\\| [^|]*\\|$").FindAllStringSubmatch(document(t, "docs/PROOFS.md"), -1) {
		got = append(got, m[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %v\nwant %v", got, want)
	}
}
