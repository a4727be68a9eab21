package policy_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/policy"
)

// TestDocker_composeFromElsewhere: compose fetches what it is told by an address, and starts what that says. No call
// with one is less than critical, however little it looks like more than looking.
func TestDocker_composeFromElsewhere(t *testing.T) {
	t.Parallel()
	for _, x := range []string{
		"https://evil.example/x.git", "http://evil.example/x", "oci://evil.example/x:data", "OCI://evil.example/x", "git@evil.example:x.git", "me@evil.example:x", "ssh://git@evil.example/x", "git://evil.example/x", "github.com/evil/x", "GitHub.com/evil/x",
		"x.git", "x.git#main:deploy", "dir/x.git", "https://evil.example/x.git?a=compose.yml", "-", "", "evil:x", "file:///etc/x.yml", "../x.yml", "/etc/x.yml",
	} {
		for _, flags := range [][]string{{"-f", x}, {"-f" + x}, {"-f=" + x}, {"--file", x}, {"--file=" + x}, {"--project-directory", x}, {"--project-directory=" + x}, {"--env-file", x}, {"-f", "compose.yml", "-f", x}} {
			if x == "" && flags[0] == "-f" && len(flags) == 1 {
				continue // then the next word is the name
			}
			args := append(append([]string{"compose"}, flags...), "ps")
			if c := policy.Docker(args, env); c.Tier.Rank() < policy.CriticalRed.Rank() {
				t.Errorf("%q is %s", args, c.Tier)
			}
		}
		if strings.ContainsAny(x, "#?") || x == "" {
			continue
		}
		for _, text := range []string{"docker compose -f " + x + " ps", "docker-compose --file=" + x + " logs", "docker compose -f" + x + " config -q"} {
			if c := policy.Shell(text, env); c.Tier.Rank() < policy.CriticalRed.Rank() {
				t.Errorf("%q is %s", text, c.Tier)
			}
		}
	}
	for text, want := range map[string]policy.Tier{
		"docker compose ps": policy.Green, "docker compose -f docker-compose.yml ps": policy.Green, "docker compose -f docker-compose.yml -f docker-compose.prod.yml ps": policy.Green,
		"docker compose -fdocker-compose.yml ps": policy.Green, "docker compose --file=deploy/compose.yaml logs": policy.Green, "docker compose --project-directory shop ps": policy.Green,
		"docker compose -f docker-compose.yml config": policy.Red, "docker compose -f docker-compose.yml config -q": policy.Green, "docker compose -f ./my_shop/docker-compose.yml ps": policy.Green,
	} {
		if c := policy.Shell(text, env); c.Tier != want {
			t.Errorf("%q is %s: %s", text, c.Tier, c.Why)
		}
	}
}
