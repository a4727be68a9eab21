package agentd

import "testing"

// TestReach: a tool is marked once, when three requests in a row did not reach it, and taken off the list by the first that does; a
// tool says nothing of another one.
func TestReach(t *testing.T) {
	t.Parallel()
	var r reach
	for i, c := range []struct {
		tool         string
		missed       bool
		begins, ends bool
	}{
		{"crm", true, false, false},
		{"crm", true, false, false},
		{"crm", false, false, false},
		{"crm", true, false, false},
		{"crm", true, false, false},
		{"shop", true, false, false},
		{"crm", true, true, false},
		{"crm", true, false, false},
		{"crm", false, false, true},
		{"crm", false, false, false},
	} {
		if begins, ends := r.note(c.tool, c.missed); begins != c.begins || ends != c.ends {
			t.Errorf("%d: begins %v, ends %v", i, begins, ends)
		}
	}
}
