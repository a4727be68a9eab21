package filewrite

import (
	"strings"
	"testing"

	"gatehouse/agentd/redact"
)

// TestDiff_cutLeavesNoHalf: wherever the end of a diff that is too long falls in a secret, nothing of it is shown, on one
// line or on several.
func TestDiff_cutLeavesNoHalf(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	block := strings.Join([]string{"-----BEGIN PRIVATE", "KEY-----\n"}, " ") + strings.Repeat("MIIEvQ"+strings.Repeat("aB3dE6gH9k", 5)+"\n", 26) +
		strings.Join([]string{"-----END PRIVATE", "KEY-----\n"}, " ")
	for name, c := range map[string]struct{ secret, start string }{"word": {key, "ghp_a"}, "block": {block, "MIIEvQ"}} {
		for back := 1; back < len(c.secret); back += max(len(c.secret)/12, 1) {
			for _, filler := range []string{"x ", "some words\n"} {
				before := strings.Repeat(filler, maxDiffText)[:maxDiffText-back-1] + filler[len(filler)-1:]
				got := shorten(before + c.secret + strings.Repeat("\nmore", 100))
				if len(got) > maxDiffText+100 || !strings.Contains(got, "more, not shown @@") {
					t.Fatalf("%s: %d bytes, the end is %q", name, len(got), got[len(got)-60:])
				}
				if strings.Contains(redact.Text(got), c.start) {
					t.Fatalf("%s cut %d bytes in: %q", name, back, got[len(got)-120:])
				}
			}
		}
	}
}
