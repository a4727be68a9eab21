package wipe_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wipe"
	"gatehouse/agentd/wire"
)

var t0 = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// hubKey is a key as the hub's, in its form.
var hubKey = "ssh-ed25519 " + base64.StdEncoding.EncodeToString(make([]byte, 51))

// planted stand where the customer's things stand on a machine, each with the word of it.
var planted = map[string]string{
	"opt/gatehouse/letters/offer.txt": "customer-word-1", "var/lib/agentd/agentd.db": "customer-word-2",
	"var/lib/agentd-llm-proxy/keys": "customer-word-3", "etc/agentd/vault.key": "customer-word-4",
	"home/gatehouse/.ssh/authorized_keys": "customer-word-5", "var/lib/docker/volumes/shop/data": "customer-word-6",
	"var/lib/agentd-certificate/server.pem": "customer-word-7", "var/log/nginx/access.log": "customer-word-8",
	"etc/nginx/sites-available/gatehouse-name": "customer-word-9", "var/lib/gatehouse/start/page": "customer-word-10",
	"var/mail/gatehouse": "customer-word-11", "var/spool/cron/atjobs/a0001": "customer-word-12",
	"var/log/auth.log": "customer-word-13", "var/log/auth.log.2.gz": "customer-word-14", "var/log/fail2ban.log.1": "customer-word-15",
	"var/lib/systemd/linger/gatehouse": "customer-word-16",
}

// machine is the root of a machine with what a customer left, and a system that notes what is run on it.
type machine struct {
	*wipe.Helper
	key   ed25519.PrivateKey
	root  string
	ran   []string
	fails string // the beginning of what fails
	left  string // what docker ps prints

	stays bool  // what the owner runs cannot be ended
	ended []int // processes, in their order
}

func (m *machine) run(_ context.Context, program string, args ...string) (string, error) {
	line := strings.Join(append([]string{program}, args...), " ")
	m.ran = append(m.ran, line)
	switch {
	case m.fails != "" && strings.HasPrefix(line, m.fails):
		return "", errors.New(line + " fails")
	case program == "systemctl" && args[0] == "list-unit-files":
		return args[2] + " enabled", nil
	case line == "userdel --force gatehouse":
		// A last process starts as the user goes.
		return "", errors.Join(os.WriteFile(filepath.Join(m.root, "etc/passwd"), []byte(passwd), 0o600), m.start(31, ownerUID))
	case line == "docker ps --all --quiet --no-trunc":
		return "c1\nc2\n", nil
	case program == "docker" && args[0] == "ps":
		return m.left, nil
	}
	return "", nil
}

// passwd are the machine's users without the owner.
const passwd = "root:x:0:0:root:/root:/bin/bash\n"

// ownerUID is the UID of the owner. What belongs to whom can be chosen by root alone, so it is the one by whom the test runs.
var ownerUID = max(os.Getuid(), 1000)

// start starts a process of a user.
func (m *machine) start(pid, uid int) error {
	dir := filepath.Join(m.root, "proc", strconv.Itoa(pid))
	text := fmt.Sprintf("Name:\tsh\nState:\tS (sleeping)\nUid:\t0\t%d\t0\t0\n", uid)
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "status"), []byte(text), 0o600))
}

// kill ends a process. The first one of the owner's has started another by then.
func (m *machine) kill(pid int) error {
	m.ended = append(m.ended, pid)
	if m.stays {
		return nil
	}
	err := os.RemoveAll(filepath.Join(m.root, "proc", strconv.Itoa(pid)))
	if pid == 20 {
		err = errors.Join(err, m.start(30, ownerUID))
	}
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	m := &machine{root: t.TempDir(), key: key}
	for path, text := range planted {
		m.write(t, path, text)
	}
	m.write(t, "etc/ssh/sshd_config.d/00-gatehouse.conf", "Port 22022\nPermitRootLogin no\n")
	m.write(t, "root/.ssh/authorized_keys", "ssh-ed25519 somebody")
	m.write(t, "etc/hostname", "machine")
	m.write(t, "etc/passwd", passwd+fmt.Sprintf("gatehouse:x:%d:%d::/home/gatehouse:/bin/bash\n", ownerUID, ownerUID))
	must(t, errors.Join(m.start(1, 0), m.start(20, ownerUID)))
	m.Helper = &wipe.Helper{
		Root: m.root, ServerID: "s1", Key: key.Public().(ed25519.PublicKey), Now: func() time.Time { return t0 },
		Log: slog.New(slog.DiscardHandler), Run: m.run, Kill: m.kill,
	}
	return m
}

func (m *machine) write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(filepath.Join(m.root, path)), 0o700))
	must(t, os.WriteFile(filepath.Join(m.root, path), []byte(text), 0o600))
}

func (m *machine) read(path string) string {
	text, _ := os.ReadFile(filepath.Join(m.root, path))
	return string(text)
}

// ask leaves a command as agentd does; change bends it before it is signed.
func (m *machine) ask(t *testing.T, change ...func(*wire.Command)) {
	t.Helper()
	c := wire.Command{ID: "w", ServerID: "s1", Verb: wire.VerbWipe, LetIn: hubKey, From: t0, Until: t0.Add(2 * time.Minute)}
	for _, f := range change {
		f(&c)
	}
	signed, err := wire.SignCommand(c, m.key)
	must(t, err)
	must(t, wipe.Ask(filepath.Join(m.root, wipe.Asked), signed))
}

// leftovers are the words of the customer that still stand somewhere below the root.
func (m *machine) leftovers(t *testing.T) []string {
	t.Helper()
	var found []string
	must(t, filepath.WalkDir(m.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, word := range planted {
			if strings.Contains(string(text), word) {
				found = append(found, word)
			}
		}
		return err
	}))
	return found
}

// untouched says whether everything is as before.
func (m *machine) untouched(t *testing.T) bool {
	t.Helper()
	return len(m.leftovers(t)) >= len(planted) && !strings.Contains(m.read("root/.ssh/authorized_keys"), hubKey) &&
		m.read(wipe.Done) == "" && len(m.ran) == 0 && len(m.ended) == 0
}

// TestDo: nothing of the customer is left, what runs is stopped before anything goes, and the hub comes in last.
func TestDo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.ask(t)
	must(t, m.Do(t.Context()))
	if left := m.leftovers(t); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if got := m.read("root/.ssh/authorized_keys"); got != "ssh-ed25519 somebody\n"+hubKey+"\n" {
		t.Errorf("root lets in %q", got)
	}
	if got := m.read("etc/ssh/sshd_config.d/00-gatehouse.conf"); got != "Port 22022\nPermitRootLogin prohibit-password\n" {
		t.Errorf("sshd: %q", got)
	}
	if m.read(wipe.Done) != "s1\n" || m.read("etc/hostname") != "machine" {
		t.Error("the machine does not say that it is wiped, or lost its own")
	}
	at := func(line string) int { return slices.Index(m.ran, line) }
	for _, order := range [][2]string{
		{"systemctl stop agentd.service", "docker rm --force --volumes c1"},
		{"docker rm --force --volumes c2", "systemctl stop docker.service"},
		{"systemctl stop docker.service", "userdel --force gatehouse"},
		{"userdel --force gatehouse", "systemctl reload ssh.service"},
	} {
		if at(order[0]) < 0 || at(order[0]) > at(order[1]) {
			t.Errorf("%q is not before %q in %q", order[0], order[1], m.ran)
		}
	}
	if !slices.Equal(m.ended, []int{20, 30, 31}) {
		t.Errorf("ended: %v", m.ended)
	}
	m.ran = nil
	must(t, m.Do(t.Context())) // nothing waits
	if len(m.ran) != 0 {
		t.Errorf("a second start did %q", m.ran)
	}
}

// TestDo_refuses: a command that is not the hub's, not for this server, not for now, or that would let in something else than one
// plain key changes nothing, and is not looked at again.
func TestDo_refuses(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*wire.Command){
		"another verb":      func(c *wire.Command) { c.Verb = wire.VerbRestart },
		"another server":    func(c *wire.Command) { c.ServerID = "s2" },
		"expired":           func(c *wire.Command) { c.From, c.Until = t0.Add(-time.Hour), t0.Add(-59*time.Minute) },
		"from the future":   func(c *wire.Command) { c.From, c.Until = t0.Add(time.Hour), t0.Add(61*time.Minute) },
		"good for too long": func(c *wire.Command) { c.Until = t0.Add(time.Hour) },
		"no key":            func(c *wire.Command) { c.LetIn = "" },
		"key with options":  func(c *wire.Command) { c.LetIn = `command="sh" ` + hubKey },
		"two keys":          func(c *wire.Command) { c.LetIn = hubKey + "\n" + hubKey },
	} {
		m := newMachine(t)
		m.ask(t, change)
		if err := m.Do(t.Context()); !errors.Is(err, wipe.ErrRefused) || !m.untouched(t) {
			t.Errorf("%s: %v", what, err)
		}
		if m.read(wipe.Asked) != "" {
			t.Errorf("%s: the command still waits", what)
		}
	}
	m := newMachine(t)
	_, m.key, _ = ed25519.GenerateKey(nil)
	m.ask(t)
	if err := m.Do(t.Context()); !errors.Is(err, wipe.ErrRefused) || !m.untouched(t) {
		t.Errorf("another key signed: %v", err)
	}
}

// TestDo_hostileFile: what agentd's folder holds is read as a plain small file alone. A link leads nowhere.
func TestDo_hostileFile(t *testing.T) {
	t.Parallel()
	for what, lay := range map[string]func(file string) error{
		"a link":       func(file string) error { return os.Symlink("/etc/passwd", file) },
		"a folder":     func(file string) error { return os.Mkdir(file, 0o700) },
		"a large file": func(file string) error { return os.WriteFile(file, make([]byte, 1<<20), 0o600) },
		"no JSON":      func(file string) error { return os.WriteFile(file, []byte("wipe"), 0o600) },
	} {
		m := newMachine(t)
		must(t, lay(filepath.Join(m.root, wipe.Asked)))
		if err := m.Do(t.Context()); err == nil || !m.untouched(t) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestDo_cutOff: whatever fails, the hub is not let in. The next start goes on without the command, which agentd's folder took along.
func TestDo_cutOff(t *testing.T) {
	t.Parallel()
	for _, fails := range []string{
		"systemctl stop agentd.service", "docker ps", "docker rm", "userdel", "sshd -t", "systemctl reload ssh",
	} {
		m := newMachine(t)
		m.ask(t)
		m.fails = fails
		if err := m.Do(t.Context()); err == nil || m.read(wipe.Done) != "" {
			t.Errorf("%s: %v, and it says that it is wiped", fails, err)
		}
		m.fails, m.Now = "", func() time.Time { return t0.Add(time.Hour) }
		must(t, m.Do(t.Context()))
		if left := m.leftovers(t); len(left) != 0 || m.read(wipe.Done) == "" {
			t.Errorf("%s: after the next start %v is left", fails, left)
		}
	}
}

// TestDo_somethingLeft: a machine on which a container is left lets nobody in.
func TestDo_somethingLeft(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.ask(t)
	m.left = "c9"
	if err := m.Do(t.Context()); !errors.Is(err, wipe.ErrLeft) || strings.Contains(m.read("root/.ssh/authorized_keys"), hubKey) {
		t.Errorf("%v", err)
	}
}

// TestDo_ownersLeft: the next owner gets the same UID. A machine on which the former one's processes cannot be ended lets nobody in;
// their files go wherever everybody may leave one, also when the user was gone before the wipe was cut off.
func TestDo_ownersLeft(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.ask(t)
	m.stays = true
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := m.Do(short)
	if !errors.Is(err, wipe.ErrLeft) || m.read(wipe.Done) != "" || m.read("home/gatehouse/.ssh/authorized_keys") != "" {
		t.Errorf("it lets somebody in: %v", err)
	}
	m.stays, m.fails = false, "sshd -t"
	if err := m.Do(t.Context()); err == nil {
		t.Error("it was not cut off")
	}
	must(t, m.start(40, ownerUID))
	file := filepath.Join(m.root, "run/lock/open/left")
	m.write(t, "run/lock/open/left", "word")
	if os.Getuid() == 0 { // a folder of root's, a file of the owner's
		must(t, os.Chown(file, ownerUID, ownerUID))
	}
	m.fails = ""
	must(t, m.Do(t.Context()))
	if _, err := os.Stat(file); err == nil || !slices.Contains(m.ended, 40) {
		t.Errorf("the file is left: %v; ended %v", err == nil, m.ended)
	}
}

// TestDo_anothersCourse: a wipe that was cut off on a former server does not go on when the machine is another one by now.
func TestDo_anothersCourse(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.ask(t)
	m.fails = "systemctl stop agentd.service"
	if err := m.Do(t.Context()); err == nil {
		t.Fatal("it was not cut off")
	}
	m.fails, m.ran, m.ServerID = "", nil, "s2"
	m.write(t, "opt/gatehouse/letters/new.txt", "the next customer's")
	if err := m.Do(t.Context()); !errors.Is(err, wipe.ErrRefused) || len(m.ran) != 0 || m.read("opt/gatehouse/letters/new.txt") == "" {
		t.Errorf("%v, ran %q", err, m.ran)
	}
}
