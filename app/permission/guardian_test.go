package permission

import "testing"

func TestWithGuardian(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ situation, text, mode, want string }{
		{"nothing yet", "", "on", "guardian: \"on\"\n"},
		{"switched", "# ours\nversion: 1\nguardian: \"off\"\nrules: []\n", "on", "# ours\nversion: 1\nguardian: \"on\"\nrules: []\n"},
		{"as usual again", "version: 1\nguardian: \"on\"\nrules: []\n", "", "version: 1\nrules: []\n"},
		{"no line end", "version: 1", "off", "version: 1\nguardian: \"off\"\n"},
		{"a rule that speaks of it", "rules:\n  - reason: \"guardian: no\"\n", "on", "rules:\n  - reason: \"guardian: no\"\nguardian: \"on\"\n"},
	} {
		if got := WithGuardian(tc.text, tc.mode); got != tc.want {
			t.Errorf("%s: %q", tc.situation, got)
		}
	}
}
