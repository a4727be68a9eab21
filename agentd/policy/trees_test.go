package policy_test

import (
	"slices"
	"testing"

	"gatehouse/agentd/policy"
)

// TestPlanShell_searchesHere: a search that is told no folder goes into the working folder, whatever its flags ask for.
func TestPlanShell_searchesHere(t *testing.T) {
	t.Parallel()
	for _, c := range []string{
		"rg PASS", "rg -uuu PASS", "rg -n PASS", "rg -A 3 PASS", "rg -nA 3 PASS", "rg -g '!x' PASS", "rg --glob '!x' PASS", "rg -e PASS", "rg -ePASS", "rg -e PASS -A 3", "rg --regexp PASS", "rg --regexp=PASS", "rg PASS -t py", "rg -- PASS", "nice rg -uuu PASS",
		"grep -r PASS", "grep -r -A 3 PASS", "grep -rA 3 PASS", "grep -r -e PASS", "grep -re PASS", "grep -r -e PASS -m 1", "grep -r --regexp PASS", "grep -rn PASS --include '*.txt'", "grep -r -f words.txt", "egrep -r -C 2 PASS",
	} {
		if plan := policy.PlanShell(c, env); plan.Class.Tier == policy.Green && !slices.Contains(plan.Trees, "/opt/gatehouse") {
			t.Errorf("%q: %q", c, plan.Trees)
		}
	}
	for _, c := range []string{"rg PASS docs", "rg -uuu PASS docs", "rg -A 3 PASS docs", "rg -e PASS docs", "rg -ePASS docs", "grep -r -A 3 PASS docs", "grep -rn -e PASS docs", "grep -rn --include='*.txt' PASS docs"} {
		plan := policy.PlanShell(c, env)
		if plan.Class.Tier != policy.Green || slices.Contains(plan.Trees, "/opt/gatehouse") || !slices.Contains(plan.Trees, "/opt/gatehouse/docs") {
			t.Errorf("%q: %s %q", c, plan.Class.Tier, plan.Trees)
		}
	}
}
