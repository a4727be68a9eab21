package targettest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// Machine is a bare machine that runs.
type Machine struct {
	Address string     // its IP address
	Host    string     // this computer's IP address as the machine sees it
	Root    string     // the folder of its root file system
	Key     ssh.Signer // its root takes this key

	t     testing.TB
	netns string
	run   *exec.Cmd
}

// Option changes a machine before it boots.
type Option func(t testing.TB, m *Machine)

// WithoutKey leaves root without an authorized key.
func WithoutKey(t testing.TB, m *Machine) {
	must(t, os.RemoveAll(filepath.Join(m.Root, "root/.ssh")))
}

// Boot starts a machine that ends with the test, and waits until its SSH server answers. The test is skipped where none can be
// booted.
func Boot(t testing.TB, options ...Option) *Machine {
	t.Helper()
	if why := Lack(); why != "" {
		t.Skip(why)
	}
	base, err := Base()
	must(t, err)
	m := &Machine{t: t, netns: "gh" + strings.ToLower(rand.Text()[:8]), Root: filepath.Join(t.TempDir(), "root")}
	must(t, command("cp", "--archive", "--reflink=auto", base, m.Root))
	m.connect()
	m.furnish()
	for _, o := range options {
		o(t, m)
	}
	m.boot()
	return m
}

// connect gives the machine a network of two: itself and this computer.
func (m *Machine) connect() {
	m.t.Helper()
	var b [2]byte
	_, _ = rand.Read(b[:]) // never fails
	net4 := fmt.Sprintf("10.203.%d.%d", b[0], b[1]&^3)
	dot := strings.LastIndexByte(net4, '.')
	last, err := strconv.Atoi(net4[dot+1:])
	must(m.t, err)
	m.Host, m.Address = net4[:dot+1]+strconv.Itoa(last+1), net4[:dot+1]+strconv.Itoa(last+2)
	outer, inner := m.netns+"a", m.netns+"b"
	m.t.Cleanup(func() { _ = exec.Command("ip", "netns", "delete", m.netns).Run() }) // the pair of devices goes with it
	for _, args := range [][]string{
		{"netns", "add", m.netns},
		{"link", "add", outer, "type", "veth", "peer", "name", inner, "netns", m.netns},
		{"addr", "add", m.Host + "/30", "dev", outer},
		{"link", "set", outer, "up"},
		{"-n", m.netns, "addr", "add", m.Address + "/30", "dev", inner},
		{"-n", m.netns, "link", "set", inner, "up"},
		{"-n", m.netns, "link", "set", "lo", "up"},
		{"-n", m.netns, "route", "add", "default", "via", m.Host},
	} {
		must(m.t, command("ip", args...))
	}
}

// furnish gives root a key, and the package manager its way to the mirrors.
func (m *Machine) furnish() {
	m.t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(m.t, err)
	m.Key, err = ssh.NewSignerFromKey(private)
	must(m.t, err)
	must(m.t, os.MkdirAll(filepath.Join(m.Root, "root/.ssh"), 0o700))
	must(m.t, os.WriteFile(filepath.Join(m.Root, "root/.ssh/authorized_keys"), ssh.MarshalAuthorizedKey(m.Key.PublicKey()), 0o600))
	ln, err := net.Listen("tcp", m.Host+":0")
	must(m.t, err)
	srv, err := serveMirrors(ln)
	must(m.t, err)
	m.t.Cleanup(func() { _ = srv.Close() })
	must(m.t, os.WriteFile(filepath.Join(m.Root, "etc/apt/apt.conf.d/01proxy"), fmt.Appendf(nil, "Acquire::http::Proxy \"http://%s\";\n",
		ln.Addr()), 0o644))
	must(m.t, os.WriteFile(filepath.Join(m.Root, "etc/hostname"), []byte("machine\n"), 0o644))
	must(m.t, command("chroot", m.Root, "ssh-keygen", "-A"))
}

// bootWait is how long a machine has until its SSH server answers.
const bootWait = 2 * time.Minute

func (m *Machine) boot() {
	m.t.Helper()
	var out bytes.Buffer
	args := slices.Concat([]string{"-c", inGroups, "sh"}, m.groups(), []string{
		"--", "systemd-nspawn", "--register=no", "--keep-unit", "--boot", "--quiet", "--console=pipe",
		"--directory=" + m.Root, "--network-namespace-path=/run/netns/" + m.netns,
		"--capability=CAP_NET_ADMIN,CAP_NET_RAW", "--system-call-filter=@keyring bpf",
	})
	m.run = exec.Command("sh", args...)
	m.run.Env = append(os.Environ(), "SYSTEMD_NSPAWN_API_VFS_WRITABLE=network")
	m.run.Stdout, m.run.Stderr = &out, &out
	// A test that is killed takes its machine along: asked to end, systemd-nspawn shuts it down; killed, it would leave it running.
	m.run.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	must(m.t, m.run.Start())
	m.t.Cleanup(m.off)
	ctx, cancel := context.WithTimeout(m.t.Context(), bootWait)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := net.DialTimeout("tcp", net.JoinHostPort(m.Address, "22"), time.Second); err == nil {
			must(m.t, conn.Close())
			m.open()
			return
		}
		select {
		case <-ctx.Done():
			m.off()
			m.t.Fatalf("the machine's SSH server does not answer:\n%s", out.String())
		case <-tick.C:
		}
	}
}

// off cuts the power.
func (m *Machine) off() {
	if m.run == nil {
		return
	}
	// All that runs on the machine ends with its first process, and systemd-nspawn with that.
	first, err := m.first()
	if err == nil {
		_ = syscall.Kill(first, syscall.SIGKILL)
	} else {
		_ = m.run.Process.Kill()
	}
	_ = m.run.Wait() // it says that it was killed
	m.run = nil
	if err == nil && syscall.Kill(first, 0) == nil {
		m.t.Errorf("the machine of process %d runs on after its test", first)
	}
}

// first is the first process of the machine, as this computer numbers it.
func (m *Machine) first() (int, error) {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", m.run.Process.Pid))
	if err != nil {
		return 0, err
	}
	number, _, _ := strings.Cut(strings.TrimSpace(string(children)), " ")
	return strconv.Atoi(number)
}

// Do runs a script on the machine as root, past its network, and gives what it printed. It fails the test when the script does.
func (m *Machine) Do(script string) string {
	m.t.Helper()
	out, err := m.Try(script)
	if err != nil {
		m.t.Fatalf("on the machine: %v\n%s\n%s", err, script, out)
	}
	return out
}

// Try is Do for what may fail.
func (m *Machine) Try(script string) (string, error) {
	first, err := m.first()
	if err != nil {
		return "", err
	}
	cmd := exec.Command("nsenter", "--target", strconv.Itoa(first), "--all", "--", "bash", "-euo", "pipefail", "-s")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
