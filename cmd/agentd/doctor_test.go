package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/doctor"
)

// TestDoctor_relative: folders named from where the operator stands are the same folders.
func TestDoctor_relative(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "doctor", "--json", "--state", "state", "--data", "data")
	cmd.Dir = filepath.Dir(stateDir(t))
	if err := os.Mkdir(filepath.Join(cmd.Dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, _ := cmd.Output() // it ends with 1 when something is not as it should be
	if f := found(t, string(out), "commands"); strings.Contains(f.Text, "no such file") {
		t.Errorf("%+v", f)
	}
}

// TestDoctor_anothersState: root learns that agentd is somebody else, and the command it is given tells the truth.
func TestDoctor_anothersState(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make folders that belong to somebody else")
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "agentd-doctor-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	state, data := filepath.Join(dir, "state"), filepath.Join(dir, "data")
	for _, err := range []error{
		os.Chmod(filepath.Dir(path), 0o755), os.Chmod(dir, 0o755), os.Mkdir(state, 0o700), os.Mkdir(data, 0o700),
		os.Chown(state, 64321, 64322), os.Chown(data, 64321, 64322),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// Both end with 1 when something is not as it should be; what they say is read.
	asRoot, _ := exec.CommandContext(t.Context(), path, "doctor", "--json", "--state", state, "--data", data).Output()
	if f := found(t, string(asRoot), "commands"); f.State != doctor.Warn || !strings.Contains(f.Text, "not tried") || strings.Contains(f.Mend, "Linux") {
		t.Errorf("%+v", f)
	}
	f := found(t, string(asRoot), "user")
	line, is := strings.CutPrefix(f.Mend, "Run it as that user: ")
	if f.State != doctor.Fail || !strings.Contains(f.Text, "64321") || !is {
		t.Fatalf("%+v", f)
	}
	asUser, _ := exec.CommandContext(t.Context(), "sh", "-c", line+" --json").Output()
	for _, name := range []string{"user", "permissions", "data"} {
		if f := found(t, string(asUser), name); f.State != doctor.OK {
			t.Errorf("%s: %+v", line, f)
		}
	}
	if f := found(t, string(asUser), "commands"); strings.Contains(f.Text, "not tried") || strings.Contains(f.Text, "cannot be read") {
		t.Errorf("%s: %+v", line, f)
	}
}

// found is one finding of a report in JSON.
func found(t *testing.T, report, name string) doctor.Finding {
	t.Helper()
	var r doctor.Report
	if err := json.Unmarshal([]byte(report), &r); err != nil {
		t.Fatalf("%v: %s", err, report)
	}
	for _, f := range r.Findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("nothing about %s in %s", name, report)
	return doctor.Finding{}
}
