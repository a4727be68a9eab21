package setup

import (
	"strings"
	"testing"
)

// TestJudge: what a machine lacks is said in words; a whole one is described.
func TestJudge(t *testing.T) {
	t.Parallel()
	whole := map[string]string{
		"id": "debian", "release": "12", "name": "Debian GNU/Linux 12 (bookworm)", "cpus": "2", "memory": "4028000", "disk": "40000000",
		"init": "systemd", "user": "root", "wiping": "",
	}
	for name, c := range map[string]struct{ field, value, want string }{
		"whole":             {"", "", "Debian GNU/Linux 12 (bookworm), 2 CPU, 3.8 GB, 38 GB free"},
		"old":               {"release", "11", "Debian 12 or newer"},
		"another system":    {"id", "fedora", "Debian 12 or newer"},
		"a container":       {"init", "sh", "does not run systemd"},
		"no way to be root": {"user", "debian", "may not become root"},
		"half wiped":        {"wiping", "yes", "begun to wipe itself"},
		"little memory":     {"memory", "500000", "At least 900 MB"},
		"little disk":       {"disk", "2000000", "At least 8 GB"},
		"nonsense":          {"memory", "much", "cannot be read"},
	} {
		var lines []string
		for k, v := range whole {
			if k == c.field {
				v = c.value
			}
			lines = append(lines, k+"="+v)
		}
		system, err := new(Runner).judge(lines)
		got := system
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || (err == nil) != (c.field == "") {
			t.Errorf("%s: %q, %v", name, system, err)
		}
	}
}
