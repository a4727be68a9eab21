package agentd

import (
	"slices"
	"testing"
)

// TestUnclear: the owner hears once of a service that is unclear twice in a row, also when another one, or the vault, cannot
// be asked meanwhile; and again when it was clear in between.
func TestUnclear(t *testing.T) {
	t.Parallel()
	seen := unclear{}
	for i, round := range []struct {
		names []string
		all   bool
		tell  []string
	}{
		{[]string{"a", "b"}, true, nil},
		{nil, false, nil},
		{[]string{"a"}, false, []string{"a"}},
		{[]string{"b", "a"}, true, []string{"b"}},
		{[]string{"a"}, true, nil},
		{[]string{"a", "b"}, true, nil},
		{nil, true, nil},
		{[]string{"a", "b"}, true, nil},
		{[]string{"b", "a"}, true, []string{"b", "a"}},
	} {
		if tell := seen.asked(round.names, round.all); !slices.Equal(tell, round.tell) {
			t.Errorf("round %d: tells of %v, want %v", i, tell, round.tell)
		}
	}
}
