package shell

import (
	"strings"
	"testing"

	"gatehouse/agentd/policy"
)

// TestClip_leavesNoHalf: what is cut from a command or from what it printed leaves no beginning of a credential.
func TestClip_leavesNoHalf(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	for back := 5; back < len(key); back++ {
		printed := strings.Repeat("x ", (4000-back)/2) + key + strings.Repeat(" more", 20)
		command := "echo " + strings.Repeat("x ", (120-5-back)/2) + key + strings.Repeat(" more", 20)
		r := result(command, policy.ShellPlan{}, 0, "")
		_, stopped := explain(t.Context(), errFlood, "cat", printed)
		log, err := explain(t.Context(), errFlood, "journalctl "+strings.TrimPrefix(command, "echo "), printed)
		if err != nil {
			t.Fatal(err)
		}
		for what, got := range map[string]string{
			"printed": stopped.Error(), "summary": r.Summary, "effect": r.Effects[0].Target, "log": log.Text,
		} {
			if strings.Contains(got, key[:5]) || !strings.Contains(got, "x x") {
				t.Errorf("cut %d bytes into the key, %s: %q", back, what, got[max(0, len(got)-60):])
			}
		}
	}
}
