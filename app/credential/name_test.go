package credential

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestNameOf: words become the names of this table, which the browser test compares with the script as well.
func TestNameOf(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/names.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []struct{ Words, Kind, Name string }
	if err := json.Unmarshal(raw, &table); err != nil || len(table) == 0 {
		t.Fatalf("%d names: %v", len(table), err)
	}
	for _, c := range table {
		got := NameOf(c.Words, c.Kind)
		if got != c.Name {
			t.Errorf("%q is %q, want %q", c.Words, got, c.Name)
		}
		if again := NameOf(got, c.Kind); again != got {
			t.Errorf("%q becomes %q when it is named again", got, again)
		}
	}
}

// TestNameOf_fits: what is made of long or odd words has a form that the vault takes.
func TestNameOf_fits(t *testing.T) {
	t.Parallel()
	long := []string{strings.Repeat("a", 200), strings.Repeat("word ", 60), "a " + strings.Repeat("b", 63) + "-c"}
	for _, words := range append(long, "x", "№ 5") {
		got := NameOf(words, "no such kind!")
		service, key, _ := strings.Cut(got, ".")
		if !technical.MatchString(got) || len(service) > longestPart || len(key) > longestPart {
			t.Errorf("%.20q becomes %q", words, got)
		}
	}
}
