package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestRun_unpacksNoSecrets: a file that may not be read by name is not read as what another one holds.
func TestRun_unpacksNoSecrets(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3 // what is red runs as well, without a question
	w.Write(t, map[string]string{"conf/.env": "CANARY\n", "conf/server.key": "CANARY\n", "logs/a.log": "harmless\n", "notes.txt": "harmless\n"})
	pack := func(dir, name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = filepath.Join(w.Data, dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		if name != "" {
			if err := os.WriteFile(filepath.Join(w.Data, name), out, 0o640); err != nil {
				t.Fatal(err)
			}
		}
	}
	pack("conf", "b.gz", "gzip", "-c", ".env")
	pack("conf", "server.key.gz", "gzip", "-nc", "server.key")
	for name, change := range map[string]string{"all.gz": "--", "far.gz": "--transform=s/conf/settings/"} { // tar's own way to gzip is by a shell
		pack(".", "x.tar", "tar", "cf", "-", change, "conf")
		pack(".", name, "gzip", "-nc", "x.tar")
		if err := os.Remove(filepath.Join(w.Data, "x.tar")); err != nil {
			t.Fatal(err)
		}
	}
	pack(".", "", "zip", "-q", "b.zip", "conf/.env", "notes.txt")
	pack("conf", "", "zip", "-q", "../one.zip", ".env")
	pack("logs", "logs/a.log.gz", "gzip", "-c", "a.log")
	pack("logs", "logs/plain.gz", "gzip", "-nc", "a.log")
	for _, c := range some(t, []string{
		"zcat b.gz", "zcat b", "gzip -dc b.gz", "gzip -dc b", "gunzip -c b.gz", "gzip -cd ./b.gz", "nice zcat b.gz", "zcat -f b.gz", "gzip -vdc b.gz", "echo b.gz | xargs zcat", "for f in *.gz; do zcat $f; done", "find . -name 'b.g*' -exec zcat {} +", "find b.gz -exec gzip -dc {} \\;", "zcat logs/a.log.gz b.gz",
		"zcat server.key.gz", "zcat server.key", "zcat < b.gz", "cat b.gz | gzip -dc", "zcat all.gz", "gzip -dc one.zip", "zcat -f one.zip", "gzip -dcr .",
		"unzip -p b.zip", "unzip -p b.zip '*'", "unzip -p b.zip 'conf/?env'", "unzip -p b.zip conf/.env", "find . -name '*.zip' -exec unzip -p {} \\;", "ls b.zip | xargs unzip -p", "tar xOf all.gz", "tar xzOf all.gz", "tar xzOf all.gz conf", "tar xzOf - settings < far.gz", "cat far.gz | tar xzOf - settings", "cat far.gz | tar xzO x settings", "tar xzOf <(cat far.gz) settings", "tar xzOf far.gz settings", "mkdir deep; cd deep; tar xzOf ../far.gz settings",
	}) {
		if o := w.Do(t, "shell", command(c)); o.Tier != "red" && strings.Contains(o.Text, "CANARY") {
			t.Errorf("%q: %s %s %.200s", c, o.Tier, o.State, o.Text)
		}
	}
	for c, want := range someOf(t, map[string]string{
		"zcat logs/a.log.gz": "harmless", "zcat logs/*.gz | wc -l": "2", "zcat logs/plain.gz": "harmless", "find logs -name '*.gz' -exec gzip -dc {} +": "harmless", "gzip -l b.gz": "uncompressed",
		"unzip -p b.zip notes.txt": "harmless", "unzip -l b.zip": "conf/.env", "gzip -c notes.txt | wc -c": "",
	}) {
		if o := w.Do(t, "shell", command(c)); o.State != wire.ToolDone || o.Tier != "green" || !strings.Contains(o.Text, want) || strings.Contains(o.Text, "refused") {
			t.Errorf("%q: %s %s %s", c, o.Tier, o.State, o.Text)
		}
	}
}
