package shell

import (
	"testing"

	"gatehouse/agentd/policy"
)

// TestAsksServices: what opens the way to a service is a client in the text, and nothing else runs beside it that could use
// the way for something that nobody has read.
func TestAsksServices(t *testing.T) {
	t.Parallel()
	env := policy.Env{Root: t.TempDir()}
	for command, want := range map[string]bool{
		"docker ps": true, "docker ps | grep web": true, "systemctl status nginx && df -h": true, "psql -c 'select 1'": true,
		"df -h": false, "echo docker": false,
		"docker ps; mine": false, "mytool docker ps": false, "docker ps | mytool": false, "mytool; systemctl status nginx": false,
	} {
		plan := policy.PlanShell(command, env)
		if got := asksServices(plan); got != want {
			t.Errorf("%s: %t (stranger %q)", command, got, plan.Stranger)
		}
		if told := keptApart(plan) != ""; told != (!want && namesClient(plan)) {
			t.Errorf("%s: told %t", command, told)
		}
	}
}
