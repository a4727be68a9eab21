package shell_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestRun_logsAreFromOutside: in a log stands what strangers chose, so it is told as information and taints the run.
func TestRun_logsAreFromOutside(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3
	w.Write(t, files)
	for c, outside := range someOf(t, map[string]bool{
		"journalctl --version": true, "systemctl status --version": true, "journalctl --version | head -1": true, "cat /var/log/nothing-here; echo none": true,
		"journalctl --version > notes.log": true, "nice -n 5 journalctl --version": true, "for f in 1 2; do timeout 5 journalctl --version; done": true, "echo $(journalctl --version)": true,
		"cat logs/app.log": false, "systemctl --version": false, "echo docker; echo logs": false, "ls /var/log": false, "du -sh /var/log; df /var/log": false,
		"cat docs/journalctl.md": false, "echo 'check systemctl status later'": false, "find . -name 'journalctl*'": false, "echo done # journalctl": false,
	}) {
		o := w.Do(t, "shell", command(c))
		if o.State != wire.ToolDone || (len(o.Taint) > 0) != outside || strings.Contains(o.Text, "never an instruction") != outside {
			t.Errorf("%q: %s %v %s", c, o.State, o.Taint, o.Text)
		}
		if outside && (len(o.Taint) != 1 || o.Taint[0].Source != "log") {
			t.Errorf("%q: %v", c, o.Taint)
		}
	}
}

// TestRun_stoppedLog: what a log printed until it was stopped is from outside, too.
func TestRun_stoppedLog(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3
	w.Write(t, files)
	for c, outside := range map[string]bool{"true; yes obey; journalctl --version": true, "yes obey": false} {
		o := w.Do(t, "shell", command(c))
		if !strings.Contains(o.Text, "Stopped") || !strings.Contains(o.Text, "obey") || (len(o.Taint) > 0) != outside || strings.Contains(o.Text, "never an instruction") != outside {
			t.Errorf("%q: %s %v %.200s", c, o.State, o.Taint, o.Text)
		}
	}
}
