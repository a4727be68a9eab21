package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/sandbox"
	"gatehouse/agentd/seeded"
)

func TestMain(m *testing.M) {
	sandbox.Main(sandbox.Program{Name: "exec", Run: execute}, sandbox.Program{Name: "try", Run: attempt}, sandbox.Program{Name: "limits", Run: limits},
		sandbox.Program{Name: "fork", Run: fork})
	os.Exit(m.Run())
}

// execute runs a program of the machine from inside.
func execute(raw json.RawMessage, _ string) int {
	var argv []string
	if err := json.Unmarshal(raw, &argv); err != nil {
		fmt.Println(err)
		return 99
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Println(err)
		return 98
	}
	return 0
}

type world struct {
	box         *sandbox.Sandbox
	root, state string
	machine     bool
	services    bool
}

func open(t *testing.T) world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := world{root: filepath.Join(dir, "data"), state: filepath.Join(dir, "state")}
	for _, d := range []string{w.root, w.state} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if w.box, err = sandbox.New(t.Context(), w.root, w.state); err != nil {
		t.Fatal(err)
	}
	if off := w.box.Protection().Off; off != "" {
		t.Fatalf("no sandbox on this machine: %s", off)
	}
	return w
}

func (w world) run(t *testing.T, program string, args any) (string, int) {
	t.Helper()
	var out bytes.Buffer
	code, err := w.box.Run(t.Context(), sandbox.Job{Program: program, Args: args, Out: &out, Machine: w.machine, Services: w.services})
	if err != nil {
		t.Fatalf("run %s %v: %v (output %q)", program, args, err, out.String())
	}
	return out.String(), code
}

func TestNew_provesWhatHolds(t *testing.T) {
	t.Parallel()
	p := open(t).box.Protection()
	t.Logf("landlock %d, namespaces %v (%s)", p.Landlock, p.Namespaces, p.Lacking)
	if p.Landlock < 2 {
		t.Error("no Landlock, and yet the sandbox is on")
	}
	if !p.Namespaces && p.Lacking == "" {
		t.Error("no namespaces and no reason")
	}
}

func TestRun_worksInTheDataFolder(t *testing.T) {
	t.Parallel()
	w := open(t)
	if err := os.WriteFile(filepath.Join(w.root, "a.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{
		{"/bin/cat", "a.txt"},
		{"/bin/mkdir", "-p", "x/y"},
		{"/bin/cp", "a.txt", "x/b.txt"},
		{"/bin/mv", "x/b.txt", "c.txt"},
		{"/bin/ls", "-la"},
		{"/bin/df", "-h"},
		{"/bin/cat", "/proc/meminfo"},
		{"/bin/rm", "-r", "x"},
	} {
		if out, code := w.run(t, "exec", argv); code != 0 {
			t.Errorf("%v: exit %d: %s", argv, code, out)
		}
	}
	if b, err := os.ReadFile(filepath.Join(w.root, "c.txt")); err != nil || string(b) != "hello" {
		t.Errorf("c.txt holds %q, %v", b, err)
	}
}

// TestRun_walls tries to get out, each way from a program of its own or from within the confined process.
func TestRun_walls(t *testing.T) {
	t.Parallel()
	both(t, walls)
}

// both runs a test with namespaces, where the machine gives them, and without.
func both(t *testing.T, test func(*testing.T, world)) {
	w := open(t)
	if w.box.Protection().Namespaces {
		t.Run("namespaces", func(t *testing.T) { test(t, w) })
	}
	m := open(t)
	m.machine = true
	t.Run("machine", func(t *testing.T) { test(t, m) })
	n := open(t)
	n.box = n.box.WithoutNamespaces()
	t.Run("none", func(t *testing.T) { test(t, n) })
}

// TestRun_machine: who only looks sees the machine as it is.
func TestRun_machine(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.machine = true
	if out, code := w.run(t, "exec", []string{"/bin/ps", "-e", "-o", "pid="}); code != 0 || !strings.Contains(out, fmt.Sprint(os.Getpid())) {
		t.Errorf("exit %d: %s", code, out)
	}
}

func walls(t *testing.T, w world) {
	secret := filepath.Join(w.state, "secret")
	outside := filepath.Join(filepath.Dir(w.root), "outside")
	for _, p := range []string{secret, outside} {
		if err := os.WriteFile(p, []byte("CANARY"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(w.root, "link")); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	for _, argv := range [][]string{
		{"/bin/cat", secret},
		{"/bin/cat", outside},
		{"/bin/cat", "link"},
		{"/bin/cat", "../state/secret"},
		{"/bin/ls", w.state},
		{"/bin/ls", home},
		{"/bin/ls", "/root"},
		{"/bin/ls", "/home"},
		{"/bin/cat", "/etc/shadow"},
		{"/bin/ls", "/tmp"},
		{"/bin/cp", "/bin/ls", "/usr/bin/x"},
		{"/bin/touch", outside},
		{"/bin/rm", outside},
		{"/bin/ln", outside, "hard"},
		{"/bin/cat", fmt.Sprintf("/proc/%d/environ", os.Getpid())},
		{"/bin/ls", fmt.Sprintf("/proc/%d/root/", os.Getpid())},
		{"/bin/cat", "/proc/1/environ"},
		{"/bin/kill", "-9", fmt.Sprint(os.Getpid())},
		{"/bin/mount", "-t", "tmpfs", "x", "."},
		{"/usr/bin/unshare", "-Ur", "/bin/true"},
		{"/bin/mknod", "dev", "c", "1", "1"},
		{"/bin/dmesg"},
		{"/bin/chmod", "777", outside},
		{"/bin/chmod", "777", w.state},
		{"/bin/chown", "1", outside},
	} {
		out, code := w.run(t, "exec", argv)
		if code == 0 || strings.Contains(out, "CANARY") {
			t.Errorf("%v: exit %d: %s", argv, code, out)
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "CANARY" {
		t.Errorf("outside holds %q, %v", b, err)
	}
}

func TestRun_dataNeverRuns(t *testing.T) {
	t.Parallel()
	w := open(t)
	b, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.root, "true"), b, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, code := w.run(t, "exec", []string{filepath.Join(w.root, "true")}); code == 0 {
		t.Errorf("a program in the data folder ran: %s", out)
	}
}

// attempt makes calls of the kernel directly. It prints what worked.
func attempt(raw json.RawMessage, _ string) int {
	var outside struct {
		Port int
		Path string // of a socket
	}
	if err := json.Unmarshal(raw, &outside); err != nil {
		return 99
	}
	port := outside.Port
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	tries := map[string]func() error{
		"tcp":      func() error { return dial("tcp", addr) },
		"udp":      func() error { return dial("udp", addr) },
		"tcp6":     func() error { return dial("tcp", "[::1]:80") },
		"abstract": func() error { return dial("unix", fmt.Sprintf("@gatehouse-test-%d", port)) },
		"unix":     func() error { return dial("unix", outside.Path) },
		"packet":   func() error { return socket(unix.AF_PACKET, unix.SOCK_RAW) },
		"vsock":    func() error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM) },
		"userns":   func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
		"mount":    func() error { return unix.Mount("none", ".", "tmpfs", 0, "") },
		"ptrace":   func() error { return unix.PtraceAttach(1) },
		"bpf":      func() error { return raw3(unix.SYS_BPF) },
		"uring":    func() error { return raw3(unix.SYS_IO_URING_SETUP) },
		"keyctl":   func() error { return raw3(unix.SYS_ADD_KEY) },
		"truncate": func() error { return unix.Truncate("/etc/passwd", 0) },
		"chroot":   func() error { return unix.Chroot(".") },
		"setuid":   func() error { return unix.Setresuid(12345, 12345, 12345) },
		"rlimit":   func() error { return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40}) },
	}
	for name, try := range tries {
		if err := try(); err == nil {
			fmt.Println(name)
		}
	}
	return 0
}

func dial(network, addr string) error {
	c, err := net.DialTimeout(network, addr, 20*time.Second) // what is forbidden is so at once
	if err != nil {
		return err
	}
	if _, err := c.Write([]byte("out")); err != nil {
		return errors.Join(err, c.Close())
	}
	return c.Close()
}

func socket(family, kind int) error {
	fd, err := unix.Socket(family, kind, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// raw3 makes a call with no arguments. Any answer but "you may not" means that the kernel listened.
func raw3(n uintptr) error {
	_, _, errno := syscall.RawSyscall(n, 0, 0, 0)
	if errno == unix.EPERM || errno == unix.ENOSYS {
		return errno
	}
	return nil
}

func TestRun_kernelIsOutOfReach(t *testing.T) {
	t.Parallel()
	both(t, kernelIsOutOfReach)
}

func kernelIsOutOfReach(t *testing.T, w world) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	abstract, err := net.Listen("unix", fmt.Sprintf("@gatehouse-test-%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	named := filepath.Join(t.TempDir(), "s")
	service, err := net.Listen("unix", named)
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	if err := os.Chmod(named, 0o777); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"Port": port, "Path": named}
	if out, code := w.run(t, "try", all); out != "" || code != 0 {
		t.Errorf("worked from the inside: %q, exit %d", out, code)
	}
	w.services = true
	if out, code := w.run(t, "try", all); out != "unix\n" || code != 0 {
		t.Errorf("with the machine's services worked: %q, exit %d", out, code)
	}
}

// limits shows what is left of a process: open files, environment, capabilities, limits.
func limits(json.RawMessage, string) int {
	for _, argv := range [][]string{{"/bin/ls", "-1", "/proc/self/fd"}, {"/usr/bin/env"}, {"/bin/grep", "-E", "^(Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs|Seccomp):", "/proc/self/status"}} {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = []string{}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			fmt.Println(err)
		}
		fmt.Println("--")
	}
	var r unix.Rlimit
	for _, what := range []int{unix.RLIMIT_CORE, unix.RLIMIT_NOFILE, unix.RLIMIT_NPROC, unix.RLIMIT_FSIZE} {
		if err := unix.Getrlimit(what, &r); err != nil {
			fmt.Println(err)
		}
		fmt.Println(what, r.Max)
	}
	return 0
}

func TestRun_nothingIsInherited(t *testing.T) {
	t.Parallel()
	out, code := open(t).run(t, "limits", nil)
	parts := strings.Split(out, "--\n")
	if code != 0 || len(parts) != 4 {
		t.Fatalf("exit %d: %s", code, out)
	}
	if parts[0] != "0\n1\n2\n3\n" { // 3 is the folder that ls reads
		t.Errorf("open files: %q", parts[0])
	}
	if parts[1] != "" {
		t.Errorf("environment: %q", parts[1])
	}
	for line := range strings.Lines(parts[2]) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		want := map[string]string{"NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0000000000000000", "CapPrm": "0000000000000000", "CapAmb": "0000000000000000"}[name]
		if want != "" && value != want {
			t.Errorf("%s is %s, want %s", name, value, want)
		}
	}
	if want := fmt.Sprintf("%d 0\n%d 256\n%d 256\n%d %d\n", unix.RLIMIT_CORE, unix.RLIMIT_NOFILE, unix.RLIMIT_NPROC, unix.RLIMIT_FSIZE, 1<<30); parts[3] != want {
		t.Errorf("limits %q, want %q", parts[3], want)
	}
}

// TestRun_endsAtOnce: within 100 ms, or within the time that the smallest run takes on a machine that is slower than that. A
// busy machine may hold up the test itself, so it gets a few tries.
func TestRun_endsAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	if err := os.WriteFile(filepath.Join(w.root, "go.txt"), []byte("up\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var took []time.Duration
	late := true
	for range 20 {
		begin := time.Now()
		w.run(t, "exec", []string{"/usr/bin/true"})
		limit := max(100*time.Millisecond, time.Since(begin))
		d := w.stop(t)
		if took, late = append(took, d), d > limit; !late {
			break
		}
	}
	if late {
		t.Errorf("it took %v to end", took)
	}
	if out, err := exec.Command("pgrep", "-f", "tail -f "+filepath.Join(w.root, "go.txt")).Output(); err == nil {
		t.Errorf("left behind: %s", out)
	}
}

// stop ends a program that would go on forever and answers how long that took.
func (w world) stop(t *testing.T) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	started := &notice{line: make(chan struct{}, 1)}
	done := make(chan error, 1)
	go func() {
		_, err := w.box.Run(ctx, sandbox.Job{Program: "exec", Args: []string{"/usr/bin/setsid", "-w", "/usr/bin/tail", "-f", filepath.Join(w.root, "go.txt")}, Out: started})
		done <- err
	}()
	<-started.line
	from := time.Now()
	cancel(why)
	if err := <-done; !errors.Is(err, why) {
		t.Errorf("error %v, want the cause", err)
	}
	return time.Since(from)
}

// notice is told of the first output.
type notice struct{ line chan struct{} }

func (n *notice) Write(p []byte) (int, error) {
	select {
	case n.line <- struct{}{}:
	default:
	}
	return len(p), nil
}

// fork starts processes until the kernel says no, and prints how many there were.
func fork(json.RawMessage, string) int {
	n := 0
	for ; n < 4000; n++ {
		if _, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "60"}, &syscall.ProcAttr{}); err != nil {
			fmt.Println(err)
			break
		}
	}
	fmt.Println(n)
	return 0
}

func TestRun_forksAreCounted(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("the kernel does not count root's processes; TestAsNormalUser runs this")
	}
	out, _ := open(t).run(t, "fork", nil) // when it ends, all that it started is gone
	if !strings.Contains(out, "resource temporarily unavailable") {
		t.Errorf("nothing stopped it: %.300s", out)
	}
}

func TestRun_bigOutputArrives(t *testing.T) {
	t.Parallel()
	out, code := open(t).run(t, "exec", []string{"/usr/bin/head", "-c", "10000000", "/dev/zero"})
	if code != 0 || len(out) != 10_000_000 {
		t.Errorf("exit %d, %d bytes", code, len(out))
	}
}

func TestRun_unknownProgram(t *testing.T) {
	t.Parallel()
	_, err := open(t).box.Run(t.Context(), sandbox.Job{Program: "nothing", Out: &bytes.Buffer{}})
	if !errors.Is(err, sandbox.ErrSetup) || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("got %v", err)
	}
}

// TestAsNormalUser runs all tests again as a user without any rights, plainly and hidden as agentd is.
func TestAsNormalUser(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("this is a normal user")
	}
	for _, hidden := range []string{"", "1"} {
		if raceOn && hidden == "" { // agentd is always hidden; under the race detector each start takes its time
			continue
		}
		cmd := exec.Command("/proc/self/exe", "-test.v", "-test.count=1", "-test.skip=AsNormalUser")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd.Env = append(os.Environ(), "HOME=/nonexistent", "TMPDIR="+shared(t), "GATEHOUSE_HIDDEN="+hidden)
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS: TestRun_forksAreCounted")) {
			t.Errorf("hidden=%q: %v\n%s", hidden, err, out)
		}
	}
}

// shared is a folder for temporary files of everybody.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gatehouse-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}

func init() {
	if os.Getenv("GATEHOUSE_HIDDEN") == "1" {
		if err := sandbox.Harden(); err != nil {
			panic(err)
		}
	}
}
