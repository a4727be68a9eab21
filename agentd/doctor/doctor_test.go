package doctor_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/doctor"
	"gatehouse/agentd/llm/socket"
	"gatehouse/agentd/sandbox"
	"gatehouse/agentd/seeded"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

func server(t *testing.T) doctor.Input {
	t.Helper()
	dir := t.TempDir()
	in := doctor.Input{Data: filepath.Join(dir, "data"), State: filepath.Join(dir, "state"), Now: time.Now}
	for _, d := range []string{in.Data, in.State} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(in.State, "agentd.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return in
}

func find(t *testing.T, in doctor.Input, name string) doctor.Finding {
	t.Helper()
	for _, f := range doctor.Check(t.Context(), in).Findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no finding %q", name)
	return doctor.Finding{}
}

func TestCheck_goodServer(t *testing.T) {
	t.Parallel()
	r := doctor.Check(t.Context(), server(t))
	if r.Worst == doctor.Fail || len(r.Findings) != 13 {
		t.Errorf("%+v", r)
	}
	for _, f := range r.Findings {
		if f.Text == "" || f.State != doctor.OK && f.Mend == "" {
			t.Errorf("%+v says too little", f)
		}
	}
}

func TestCheck_whatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil   func(*testing.T, *doctor.Input)
		finding string
		want    doctor.State
		text    string
	}{
		"state for all": {func(t *testing.T, in *doctor.Input) { chmod(t, in.State, 0o755) }, "permissions", doctor.Fail, "others can"},
		"key for all":   {func(t *testing.T, in *doctor.Input) { chmod(t, in.State+"/agentd.db", 0o644) }, "permissions", doctor.Fail, "agentd.db"},
		"no state":      {func(_ *testing.T, in *doctor.Input) { in.State += "/none" }, "permissions", doctor.Warn, "register"},
		"no data":       {func(_ *testing.T, in *doctor.Input) { in.Data += "/none" }, "data", doctor.Fail, "mkdir"},
		"data a file":   {func(_ *testing.T, in *doctor.Input) { in.Data = in.State + "/agentd.db" }, "data", doctor.Fail, "not a folder"},
		"state in data": {func(t *testing.T, in *doctor.Input) {
			in.State = in.Data + "/state"
			if err := os.Mkdir(in.State, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "apart", doctor.Fail, "in each other"},
		"clock went back": {func(_ *testing.T, in *doctor.Input) {
			in.Now = func() time.Time { return time.Now().Add(-48 * time.Hour) }
		}, "clock", doctor.Fail, "went back"},
		"a core file": {func(t *testing.T, in *doctor.Input) {
			if err := os.WriteFile(in.State+"/core.12", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "leftovers", doctor.Warn, "core.12"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := server(t)
			c.spoil(t, &in)
			f := find(t, in, c.finding)
			if f.State != c.want || !strings.Contains(f.Text+f.Mend, c.text) || f.Mend == "" {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestCheck_notTheKernel: a kernel that can confine programs is not blamed for what else keeps them from running.
func TestCheck_notTheKernel(t *testing.T) {
	t.Parallel()
	in := server(t)
	if f := find(t, in, "commands"); f.State != doctor.OK {
		t.Skipf("this machine confines no programs: %s", f.Text)
	}
	chmod(t, in.Data, 0)
	if f := find(t, in, "commands"); f.State != doctor.Fail || strings.Contains(f.Mend, "Linux 5.19") || !strings.Contains(f.Mend, "data folder") {
		t.Errorf("%+v", f)
	}
}

// TestCheck_anothersState: what root may do says nothing about agentd, which is another user.
func TestCheck_anothersState(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a folder that belongs to somebody else")
	}
	in := server(t)
	if err := os.Chown(in.State, 64321, 64322); err != nil {
		t.Fatal(err)
	}
	if f := find(t, in, "user"); f.State != doctor.Fail || !strings.Contains(f.Mend, "setpriv --reuid 64321 --regid 64322 --clear-groups ") || strings.Contains(f.Mend, "chown") {
		t.Errorf("%+v", f)
	}
	for _, name := range []string{"commands", "network", "firewall"} {
		if f := find(t, in, name); f.State != doctor.Warn || !strings.Contains(f.Text, "not tried") {
			t.Errorf("%+v", f)
		}
	}
	if f := find(t, in, "permissions"); f.State != doctor.OK {
		t.Errorf("%+v", f)
	}
}

// TestCheck_hiddenState: whoever cannot see whose the state directory is, is not taken for agentd.
func TestCheck_hiddenState(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing is hidden from root; TestAsNormalUser looks")
	}
	in := server(t)
	hidden := filepath.Join(filepath.Dir(in.State), "hidden")
	if err := os.Mkdir(hidden, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(in.State, hidden+"/state"); err != nil {
		t.Fatal(err)
	}
	chmod(t, hidden, 0)
	t.Cleanup(func() { chmod(t, hidden, 0o700) }) // or it cannot be removed
	in.State = hidden + "/state"
	if f := find(t, in, "user"); f.State != doctor.Fail || !strings.Contains(f.Text, "permission denied") || f.Mend == "" {
		t.Errorf("%+v", f)
	}
	for _, name := range []string{"commands", "network", "firewall"} {
		if f := find(t, in, name); f.State != doctor.Warn || !strings.Contains(f.Text, "not tried") {
			t.Errorf("%+v", f)
		}
	}
	in.ModelName, in.ProxySocket = "large", filepath.Join(filepath.Dir(in.Data), "proxy.sock")
	l, err := socket.Listen(t.Context(), in.ProxySocket, socket.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if f := find(t, in, "models"); f.State != doctor.Warn || !strings.Contains(f.Text, "not to be seen") || f.Mend == "" {
		t.Errorf("%+v", f)
	}
}

func chmod(t *testing.T, p string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(p, mode); err != nil {
		t.Fatal(err)
	}
}

func TestReport_forms(t *testing.T) {
	t.Parallel()
	r := doctor.Check(t.Context(), server(t))
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if !strings.Contains(text.String(), f.Text) || !strings.Contains(string(b), `"name":"`+f.Name+`"`) {
			t.Errorf("%s is missing", f.Name)
		}
	}
}

// TestAsNormalUser looks again as a user without rights.
func TestAsNormalUser(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("this is a normal user")
	}
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.skip=AsNormalUser")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	cmd.Env = append(os.Environ(), "TMPDIR=/tmp")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestCheck_goodServer")) {
		t.Errorf("%v\n%s", err, out)
	}
}
