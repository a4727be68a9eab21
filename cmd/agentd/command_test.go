package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/doctor"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
)

// invoke runs a command in this process.
func invoke(t *testing.T, in string, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(in), &o, &e)
	return o.String(), e.String(), code
}

func TestCheckClassify(t *testing.T) {
	t.Parallel()
	lines := []struct{ in, id, tier string }{
		{`{"id":"1","tool":"shell","args":{"command":"df -h | tail -1"}}`, `"1"`, "green"},
		{`{"id":"2","tool":"shell","args":{"command":"rm -rf /"}}`, `"2"`, ""},
		{`{"id":3,"tool":"file_read","args":{"path":"notes.txt"}}`, `3`, "green"},
		{`{"id":"4","tool":"file_read","args":{"path":"../../etc/passwd"}}`, `"4"`, "forbidden"},
		{`{"id":"5","tool":"file_delete","args":{"path":"tmp/*.tmp"}}`, `"5"`, "red"},
		{`{"id":"6","tool":"nothing","args":{}}`, `"6"`, "forbidden"},
		{`{"id":"7","tool":"file_read","args":{"path":1}}`, `"7"`, "forbidden"},
		{`{"id":"8","tool":"file_read","args":{"path":"a","path":"b"}}`, `null`, "forbidden"},
		{`{"id":"9","tool":"file_read","args":{"path":"a"},"note":1}`, `"9"`, "green"},
		{`{"id":"9","tool":"file_read","args":{"path":"a","note":1}}`, `"9"`, "forbidden"},
		{`{"id":"10","tool":"file_read"}`, `"10"`, "forbidden"},
		{`no JSON`, `null`, "forbidden"},
		{``, `null`, "forbidden"},
		{`{"id":"11","tool":"file_read","args":{"path":"` + strings.Repeat("a", 1<<20) + `"}}`, `"11"`, ""},
		{`{"id":"12","tool":"message","args":{"to":"someone@example.com","subject":"Hello","text":"Hi"}}`, `"12"`, "yellow_external"},
	}
	var in strings.Builder
	for _, l := range lines {
		in.WriteString(l.in + "\n")
	}
	out, _, code := invoke(t, in.String(), "check", "classify", "--root", "/data")
	got := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if code != 0 || len(got) != len(lines) {
		t.Fatalf("exit %d, %d lines out for %d in", code, len(got), len(lines))
	}
	for i, l := range lines {
		var v verdict
		if err := json.Unmarshal([]byte(got[i]), &v); err != nil {
			t.Fatal(err)
		}
		if string(v.ID) != l.id || l.tier != "" && string(v.Tier) != l.tier || v.Action == "" || v.Summary == "" {
			t.Errorf("%.80s: %.200s", l.in, got[i])
		}
	}
	out, _, _ = invoke(t, lines[0].in, "check", "classify") // the last line may lack its end
	if strings.Count(out, "\n") != 1 {
		t.Errorf("one line gave %q", out)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]int{
		"--help": 0, "help": 0, "": 2, "fly": 2, "run --help": 0, "register --help": 0, "doctor --help": 0, "check classify --help": 0,
		"receipts verify --help": 0, "receipts export --help": 0, "tools explain --help": 0,
		"check --help": 0, "secrets help": 0, "check": 2, "check fly": 2, "check fly --help": 2, "run now": 2, "receipts export": 2, "tools explain shell": 2,
		"tools explain --agent a b c": 2, "tools explain --agent it-admin --origin king": 2, "check classify --no": 2,
	} {
		out, errOut, code := invoke(t, "", strings.Fields(args)...)
		if code != want || want == 0 && !strings.Contains(out, "agentd") || want != 0 && errOut == "" {
			t.Errorf("agentd %s: exit %d, said %q and %q", args, code, out, errOut)
		}
	}
}

// TestHelp: each command of the list explains itself, and no line ends in a space.
func TestHelp(t *testing.T) {
	t.Parallel()
	if len(order) != len(commands) {
		t.Errorf("%d commands, %d of them in the help", len(commands), len(order))
	}
	for _, name := range append([]string{""}, order...) {
		out, errOut, code := invoke(t, "", append(strings.Fields(name), "--help")...)
		if code != 0 || errOut != "" || !strings.Contains(out, "agentd "+name) || name != "" && !strings.HasPrefix(out, "agentd "+name) {
			t.Errorf("%s --help: exit %d, %q and %q", name, code, out, errOut)
		}
		for line := range strings.Lines(out) {
			if trimmed := strings.TrimRight(line, "\n"); strings.TrimRight(trimmed, " \t") != trimmed {
				t.Errorf("%s --help: a space ends %q", name, line)
			}
		}
	}
}

// TestHelp_list: what commands and settings are for stands in one column each; a group lists its own commands alone.
func TestHelp_list(t *testing.T) {
	t.Parallel()
	out, _, _ := invoke(t, "", "--help")
	columns := map[int]bool{}
	for line := range strings.Lines(out) {
		if text := strings.TrimLeft(line, " "); len(line)-len(text) == 2 {
			name, _, apart := strings.Cut(text, "  ")
			if !apart {
				t.Errorf("nothing parts name and text in %q", line)
			}
			rest := strings.TrimLeft(text[len(name):], " ")
			columns[len(line)-len(rest)] = true
		}
	}
	if len(columns) == 0 || len(columns) > 2 {
		t.Errorf("the texts begin at %d places", len(columns))
	}
	group, _, _ := invoke(t, "", "receipts", "--help")
	if !strings.Contains(group, "agentd receipts verify") || strings.Contains(group, "agentd run") {
		t.Errorf("receipts --help says\n%s", group)
	}
}

func TestRun_settings(t *testing.T) {
	for name, value := range map[string]string{
		"AGENTD_STATE": "state", "AGENTD_DATA": "data", "AGENTD_HUB": "hub", "AGENTD_SMTP_ADDR": "mail", "MODEL_NAME": "m",
		"LOG_LEVEL": "loud", "AGENTD_METRICS_ADDR": "0.0.0.0:9", "AGENTD_DEMO": "perhaps",
	} {
		t.Setenv(name, value)
	}
	_, errOut, code := invoke(t, "", "run")
	for _, name := range []string{"AGENTD_STATE", "AGENTD_DATA", "AGENTD_HUB", "AGENTD_SMTP_ADDR", "AGENTD_MAIL_FROM", "MODEL_BASE_URL", "LOG_LEVEL", "AGENTD_METRICS_ADDR", "Demo"} {
		if code != exitUsage || !strings.Contains(errOut, name) {
			t.Errorf("exit %d; nothing about %s in %q", code, name, errOut)
		}
	}
}

// logOf makes a state directory with a log of n records of run-a.
func logOf(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	db, err := store.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	l := receipt.New(db, time.Now)
	err = db.Write(context.Background(), func(tx *sql.Tx) error {
		for i := range n {
			if _, err := l.Append(tx, receipt.Entry{Type: "call.finished", RunID: "run-a", Body: map[string]int{"n": i}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	dir := logOf(t, 5)
	if out, _, code := invoke(t, "", "receipts", "verify", "--state", dir); code != 0 || !strings.HasPrefix(out, "ok: 5 receipts") {
		t.Errorf("verify: exit %d, %s", code, out)
	}
	var e export
	out, _, code := invoke(t, "", "receipts", "export", "--state", dir, "--run", "run-a")
	if err := json.Unmarshal([]byte(out), &e); err != nil || code != 0 || len(e.Items) != 5 || !e.Verified {
		t.Errorf("export: exit %d, %v, %s", code, err, out)
	}
	var at receipt.Head
	for _, r := range e.Items { // whoever has the export can check it alone
		var err error
		if at, err = receipt.Next(at, r, ""); err != nil {
			t.Error(err)
		}
	}
	if _, _, code := invoke(t, "", "receipts", "export", "--state", dir, "--run", "no such run"); code != 1 {
		t.Errorf("export of a run that is not there: exit %d", code)
	}
	tamper(t, dir, "UPDATE receipts SET body = '{\"n\":7}' WHERE seq = 3")
	out, _, code = invoke(t, "", "receipts", "verify", "--state", dir)
	if code != 1 || !strings.Contains(out, "receipt 3 was changed") {
		t.Errorf("verify of a changed log: exit %d, %s", code, out)
	}
	out, _, _ = invoke(t, "", "receipts", "export", "--state", dir, "--run", "run-a")
	if err := json.Unmarshal([]byte(out), &e); err != nil || e.Verified || !strings.Contains(e.Problem, "receipt 3") {
		t.Errorf("export of a changed log: %v, %s", err, out)
	}
}

func tamper(t *testing.T, dir, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, store.File))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // nothing is lost with it
	for _, q := range []string{"DROP TRIGGER receipts_no_update", query} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", q, err))
		}
	}
}

func TestToolsExplain(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	out, errOut, code := invoke(t, "", "tools", "explain", "--state", state, "--agent", "it-admin", "file_delete")
	sees := strings.Contains(out, "it-admin sees file_delete") && strings.Contains(out, "red              ask")
	if code != 0 || !sees || strings.Contains(out, "yellow_external") {
		t.Errorf("exit %d, %s%s", code, out, errOut)
	}
	out, _, code = invoke(t, "", "tools", "explain", "--state", state, "--agent", "dispatcher", "shell")
	if code != 0 || !strings.Contains(out, "does not see shell") || !strings.Contains(out, "removes") {
		t.Errorf("exit %d, %s", code, out)
	}
	out, _, code = invoke(t, "", "tools", "explain", "--state", state, "--agent", "dispatcher", "--model", "gpt-4.1-nano", "--origin", "hook")
	for _, line := range []string{
		"agent_dispatch       sees", "subagent_spawn       removed by model", "shell                removed by profile",
	} {
		if code != 0 || !strings.Contains(out, line) {
			t.Errorf("exit %d, no line %q in\n%s", code, line, out)
		}
	}
	_, errOut, code = invoke(t, "", "tools", "explain", "--state", state, "--agent", "nobody", "shell")
	if code != 1 || !strings.Contains(errOut, "nobody") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	state, data := logOf(t, 1), t.TempDir()
	out, _, _ := invoke(t, "", "doctor", "--state", state, "--data", data, "--json")
	var r doctor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Findings) < 5 {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(state, 0o755); err != nil {
		t.Fatal(err)
	}
	out, _, code := invoke(t, "", "doctor", "--state", state, "--data", data)
	if code != 1 || !strings.Contains(out, "fail") || !strings.Contains(out, "→") {
		t.Errorf("a state directory open to others: exit %d\n%s", code, out)
	}
}
