package shell_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestRun_markOverSecret: no command writes the mark of a secret, by a redirection or by a program; one that only looks
// may name it.
func TestRun_markOverSecret(t *testing.T) {
	t.Parallel()
	w := open(t)
	const before = "host = old\npassword = a-value-of-its-own\n"
	for _, text := range some(t, []string{
		"echo 'password = [SECRET:db.key]' > conf.ini",
		"printf 'host = new\\npassword = %s\\n' '[REDACTED:password#2]' > conf.ini",
		"cat > conf.ini <<'END'\nhost = new\npassword = [SECRET:db.key]\nEND",
		"echo 'password = [SECRET:db.key]' | tee conf.ini",
		"sed -i 's/^password.*/password = [SECRET:db.key]/' conf.ini",
		"echo 'password = [SECRET:db.key]' > new.ini && mv new.ini conf.ini",
		"v='[SECRET:db.key]'; echo \"$v\" >> conf.ini",
	}) {
		w.Write(t, map[string]string{"conf.ini": before})
		o := w.Do(t, "shell", command(text))
		if o.State != wire.ToolDenied || !strings.Contains(o.Text, "[SECRET:db.key]") && !strings.Contains(o.Text, "[REDACTED:password#2]") || w.Read(t, "conf.ini") != before || w.Has("new.ini") {
			t.Errorf("%s is %s: %s\n%s", text, o.State, o.Text, w.Read(t, "conf.ini"))
		}
	}
	if o := w.Do(t, "shell", command("grep -cF '[SECRET:db.key]' conf.ini")); o.State != wire.ToolDone || o.Tier != "green" {
		t.Errorf("looking is %s %s: %s", o.Tier, o.State, o.Text)
	}
	if o := w.Do(t, "shell", command("sed -i 's/^host.*/host = new/' conf.ini")); o.State != wire.ToolDone || w.Read(t, "conf.ini") != "host = new\npassword = a-value-of-its-own\n" {
		t.Errorf("a line without a mark: %s: %s", o.State, o.Text)
	}
}
