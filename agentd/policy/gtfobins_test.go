package policy_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/policy"
)

// functions are what a program may be used for, and how many lines of each there are at least.
var functions = map[string]int{
	"shell": 500, "file-read": 250, "file-write": 200, "upload": 120, "download": 20, "library-load": 60, "rights": 90,
}

// TestShell_gtfobins: nothing that starts a program, writes, sends or fetches a file, reads one that is not the agent's,
// loads code or takes rights passes as reading, alone or within something harmless.
func TestShell_gtfobins(t *testing.T) {
	t.Parallel()
	lines, programs := map[string]int{}, map[string]bool{}
	for _, l := range corpus(t, "gtfobins.txt") {
		function, rest, _ := strings.Cut(l, " ")
		tier, command, _ := strings.Cut(rest, " ")
		least := policy.Tier(tier)
		if functions[function] == 0 || least.Rank() < policy.Red.Rank() || least.Rank() == policy.Forbidden.Rank() && least != policy.Forbidden {
			t.Fatalf("%q names no function, or no tier that asks", l)
		}
		lines[function]++
		for _, p := range policy.PlanShell(command, env).Programs {
			programs[p] = true
		}
		for _, c := range []string{command, "ls; " + command, "ls && { " + command + "; }", "echo $(" + command + ")", "for f in a; do " + command + "; done", "ls | nice -n 5 cat; " + command + " | wc -l"} {
			if got := policy.Shell(c, env); got.Tier.Rank() < least.Rank() {
				t.Errorf("%s: %q is %s, must be at least %s", function, c, got.Tier, least)
			}
		}
	}
	for function, least := range functions {
		if lines[function] < least {
			t.Errorf("only %d lines of %s", lines[function], function)
		}
	}
	if len(programs) < 400 {
		t.Errorf("only %d programs", len(programs))
	}
}
