package fleet

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/target/targettest"
	"gatehouse/cmd/hub/e2e"
	"gatehouse/cmd/hub/image"
	"gatehouse/cmd/hub/rig"
	"gatehouse/db"
)

// setUpWithin is how long a bare machine may take to become a server, on a busy computer.
const setUpWithin = 20 * time.Minute

// TestPool: an order finds no machine and fails with what to do; our staff add one and press Retry; the bare machine becomes the
// customer's server, whose team answers; and the hub cannot get in any more, until the order has ended and the machine wiped itself.
func TestPool(t *testing.T) {
	if why := targettest.Lack(); why != "" {
		t.Skip(why)
	}
	at := newSite(t)
	h, _ := e2e.Start(t, append(at.settings(), "HUB_PROVIDER=pool")...)
	box := targettest.Boot(t)
	tunnel(t, box, h.URL(""))
	given := watch(t, box)

	owner, staff := h.NewPage(t), h.NewPage(t)
	own := newKey(t)
	orderWith(owner, target.KeyText(own.PublicKey())+" owner@laptop")
	staff.SignInStaff()
	staff.Open("/admin/orders?state=FAILED")
	staff.Click("main table a[href^='/admin/orders/']")
	staff.See("main", "No machine of the pool is free")
	order := e2e.Eval[string](staff, "location.pathname")
	at.open(t, h, box)

	hubKey := offer(t, staff, box)
	staff.Shot("admin-pool")
	staff.Open(order)
	staff.Click("button[value=retry]")
	staff.Until("the order goes on", "!"+retry)
	ready(t, h, staff)
	staff.Open(order)
	staff.See("#setup", "Remove the hub’s key")
	staff.Fits("an order on a machine")
	staff.Shot("admin-order-setup")

	owner.Open("/app/chat")
	owner.Say("How full is the disk?")
	owner.Until("the answer", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	owner.See(".turn.answer", "The IT admin reports")
	left(t, box, hubKey, given)
	letsIn(t, h, box, hubKey, own)
	at.shown(t, box)
	at.examined(t, h)
	wiped(t, h, staff, box, order)
}

// order buys a server as a newcomer.
func order(p *e2e.Page) { orderWith(p, "") }

// orderWith buys a server as a newcomer who signs in to it with an SSH key.
func orderWith(p *e2e.Page, key string) {
	p.Open("/pricing")
	p.Click(`a[href*="plan=build"]`)
	p.Click(`main form button[type=submit], main form button:not([type])`)
	p.Write("[name=business]", "Machine Bakery")
	p.Write("[name=name]", "The owner")
	p.Write("[name=email]", newcomer)
	p.Write("[name=password]", "a long enough pass phrase")
	if key != "" {
		p.Write("[name=admin_key]", key)
	}
	p.Click(`main form button[type=submit]`)
	p.Until("the order's page", `location.pathname === "/onboard"`)
}

// retry is what an order that failed offers.
const retry = `document.querySelector("button[value=retry]")`

const newcomer = "machine@example.com"

// ready waits for the mail that the server is ready.
func ready(t *testing.T, h *e2e.Hub, staff *e2e.Page) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), setUpWithin)
	defer cancel()
	done := rig.Until(ctx, func() bool {
		for _, m := range h.Mails(t, newcomer) {
			if strings.Contains(m.Subject, "Your server is ready") {
				return true
			}
		}
		return e2e.Eval[bool](staff, "!!"+retry)
	})
	if !done || e2e.Eval[bool](staff, "!!"+retry) {
		t.Fatalf("the machine is not set up:\n%s", e2e.Eval[string](staff, `document.querySelector("main").innerText`))
	}
}

// left looks for what the set-up must not leave behind on the whole machine, and for what must run.
func left(t *testing.T, box *targettest.Machine, hubKey string, h *handed) {
	t.Helper()
	for ask, want := range map[string]string{
		"systemctl is-active agentd agentd-containers agentd-firewall gatehouse-firewall nginx docker | sort -u": "active",
		"systemctl --failed --plain --no-legend | wc -l":                                                         "0",
		"sshd -T | grep -x 'permitrootlogin no'":                                                                 "permitrootlogin no",
		"stat -c '%U %a' /etc/agentd/vault.key":                                                                  "root 600",
		"ls -A /var/lib/agentd | grep -c 'token\\|seed' || true":                                                 "0",
		"stat -c %U /proc/$(systemctl show --property=MainPID --value agentd)":                                   "agentd",
	} {
		if got, _ := box.Try(ask); strings.TrimSpace(got) != want {
			t.Errorf("%s\n\tgot  %q\n\twant %q", ask, got, want)
		}
	}
	containers(t, box)
	contained(t, box)
	secrets := map[string]string{"the hub's key": strings.Fields(hubKey)[1]}
	maps.Copy(secrets, h.values())
	for _, name := range handedOver {
		if secrets[name] == "" {
			t.Errorf("%s was never seen on the machine, so nothing says that it came there and is gone", name)
		}
	}
	err := filepath.WalkDir(box.Root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // gone meanwhile, or no file
		}
		text, err := os.ReadFile(path)
		for name, value := range secrets {
			if err == nil && strings.Contains(string(text), value) {
				t.Errorf("%s stands in %s", name, path)
			}
		}
		return nil
	})
	must(t, err)
}

// letsIn shows who may sign in to a machine that is set up: its owner with their own key, and the hub as nobody.
func letsIn(t *testing.T, h *e2e.Hub, box *targettest.Machine, hubKey string, own ssh.Signer) {
	t.Helper()
	hub := hubSigner(t, h)
	if text := target.KeyText(hub.PublicKey()); !strings.HasPrefix(hubKey, text) {
		t.Fatalf("the page of the pool shows %q, and the hub has %q", hubKey, text)
	}
	enter := func(login string, key ssh.Signer) error {
		conn, err := target.Dial(t.Context(), target.Machine{Address: box.Address, Ports: []int{22022}, Login: login}, key)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	if err := enter("gatehouse", own); err != nil {
		t.Errorf("the owner's own key: %v", err)
	}
	for _, login := range []string{"root", "gatehouse", "agentd"} {
		if err := enter(login, hub); !errors.Is(err, target.ErrKeyRefused) {
			t.Errorf("the hub's key as %s: %v", login, err)
		}
	}
}

// hubSigner is the hub's SSH key, as its own processes read it.
func hubSigner(t *testing.T, h *e2e.Hub) ssh.Signer {
	t.Helper()
	keys, err := db.OpenKeyring(filepath.Join(h.Dir, "secret.key"))
	must(t, err)
	conn := h.Connect(t)
	d, err := db.Open(t.Context(), conn.Config().ConnString())
	must(t, errors.Join(err, conn.Close(t.Context())))
	defer d.Close()
	seed, err := (&db.HubSecrets{DB: d, Keys: keys}).Get(t.Context(), "ssh", func() ([]byte, error) {
		return nil, errors.New("the hub has made no key")
	})
	must(t, err)
	key, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed))
	must(t, err)
	return key
}

// newKey is a pair of somebody.
func newKey(t *testing.T) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	must(t, err)
	key, err := ssh.NewSignerFromKey(private)
	must(t, err)
	return key
}

// handedOver are the files with which the set-up hands secrets over to the machine: its right to register, and the owner's first key.
var handedOver = []string{"register.token", "approver.seed"}

// handed are the secrets that the set-up hands over to the machine, as they were seen on it.
type handed struct {
	mu   sync.Mutex
	seen map[string]string
}

// watch looks for what the set-up hands over, as long as the test runs.
func watch(t *testing.T, box *targettest.Machine) *handed {
	t.Helper()
	h := &handed{seen: map[string]string{}}
	go rig.Until(t.Context(), func() bool {
		for _, name := range handedOver {
			text, err := os.ReadFile(filepath.Join(box.Root, "var/lib/agentd", name))
			if value := strings.TrimSpace(string(text)); err == nil && value != "" {
				h.mu.Lock()
				h.seen[name] = value
				h.mu.Unlock()
			}
		}
		return false
	})
	return h
}

// values are the secrets that were seen.
func (h *handed) values() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.seen)
}

// containers shows what agentd may do with the containers of the machine: what the filter before the engine lets through, though
// agentd's user has no right to the engine itself, and nobody else has one to the filter.
func containers(t *testing.T, box *targettest.Machine) {
	t.Helper()
	box.Do(`tar --create --directory /usr/local/bin agentd | docker import --change 'ENTRYPOINT ["/agentd", "help"]' - probe
docker create --name probe --env PASSWORD=hush probe`)
	ask := func(user, socket, method, path string) string {
		said, _ := box.Try(`runuser -u ` + user + ` -- curl --silent --output /tmp/said --write-out '%{http_code} ' --request ` + method +
			` --unix-socket ` + socket + ` 'http://engine` + path + `' || true; cat /tmp/said 2>/dev/null || true; rm -f /tmp/said`)
		return said
	}
	const filter, engine = "/run/agentd-containers/engine.sock", "/var/run/docker.sock"
	for _, c := range []struct{ user, socket, method, path, want, never string }{
		{"agentd", filter, "GET", "/containers/json?all=1", `200 [{"Id":`, ""},
		{"agentd", filter, "GET", "/containers/probe/json", `"PASSWORD="`, "hush"},
		{"agentd", filter, "POST", "/containers/probe/stop?t=1", "304", ""}, // it was never started
		{"agentd", filter, "POST", "/containers/create?name=x", "403", ""},
		{"agentd", filter, "DELETE", "/containers/probe", "403", ""},
		{"agentd", engine, "GET", "/containers/json", "000", ""},
		{"nobody", filter, "GET", "/containers/json", "000", ""},
	} {
		got := ask(c.user, c.socket, c.method, c.path)
		if !strings.Contains(got, c.want) || c.never != "" && strings.Contains(got, c.never) {
			t.Errorf("%s asks %s %s of %s: %q, want %q and never %q", c.user, c.method, c.path, c.socket, got, c.want, c.never)
		}
	}
}

// contained starts the hub with what its container image holds and nothing else, as the image's user, after an engine that has never
// heard of it has taken the image in.
func contained(t *testing.T, box *targettest.Machine) {
	t.Helper()
	file := filepath.Join(box.Root, "root", "hub.tar")
	out, err := exec.CommandContext(t.Context(), filepath.Join(e2e.Programs(t), "hub"), "image", "--to", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	box.Do(`docker load --quiet --input /root/hub.tar
docker create --name hub ` + image.Tag + `
mkdir /root/hub
docker export hub | tar --extract --directory /root/hub`)
	if got := box.Do("docker inspect --format '{{.Config.User}} {{.Config.Entrypoint}} {{.Config.Cmd}}' hub"); got !=
		"65532:65532 [/usr/local/bin/hub] [serve]" {
		t.Errorf("the container starts as %q", got)
	}
	inside := "env --ignore-environment AGENTD_BIN=/usr/local/bin/agentd " +
		"/usr/sbin/chroot --userspec=65532:65532 /root/hub /usr/local/bin/hub "
	if got, err := box.Try(inside + "help"); err != nil || !strings.Contains(got, "serve pages, API") {
		t.Errorf("the hub in a container says %q, %v", got, err)
	}
	if got, err := box.Try(inside + "serve"); err == nil || !strings.Contains(got, "DATABASE_URL") {
		t.Errorf("a hub in a container without a database says %q, %v", got, err)
	}
}

// tunnel lets the machine reach the hub, which serves on this computer's loopback alone, by the same address.
func tunnel(t *testing.T, box *targettest.Machine, hub string) {
	t.Helper()
	at, err := url.Parse(hub)
	must(t, err)
	client, err := ssh.Dial("tcp", net.JoinHostPort(box.Address, "22"), &ssh.ClientConfig{
		User: "root", Auth: []ssh.AuthMethod{ssh.PublicKeys(box.Key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), // its own machine
	})
	must(t, err)
	t.Cleanup(func() { _ = client.Close() })
	ln, err := client.Listen("tcp", net.JoinHostPort("127.0.0.1", at.Port()))
	must(t, err)
	go func() {
		for {
			from, err := ln.Accept()
			if err != nil {
				return
			}
			go join(from, net.JoinHostPort("127.0.0.1", at.Port()))
		}
	}()
}

func join(from net.Conn, address string) {
	defer func() { _ = from.Close() }()
	to, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	go func() {
		_, _ = io.Copy(to, from)
		_ = to.Close()
	}()
	_, _ = io.Copy(from, to)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
