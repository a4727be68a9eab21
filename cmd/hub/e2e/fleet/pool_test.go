package fleet

import (
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/provider/target/targettest"
	"gatehouse/cmd/hub/e2e"
	"gatehouse/cmd/hub/image"
	"gatehouse/cmd/hub/rig"
)

// setUpWithin is how long a bare machine may take to become a server, on a busy computer.
const setUpWithin = 20 * time.Minute

// TestPool: an order finds no machine and fails with what to do; our staff add one and press Retry; the bare machine becomes the
// customer's server, whose team answers; and the hub cannot get in any more.
func TestPool(t *testing.T) {
	if why := targettest.Lack(); why != "" {
		t.Skip(why)
	}
	at := newSite(t)
	h, _ := e2e.Start(t, append(at.settings(), "HUB_PROVIDER=pool")...)
	box := targettest.Boot(t)
	tunnel(t, box, h.URL(""))

	owner, staff := h.NewPage(t), h.NewPage(t)
	order(owner)
	staff.SignInStaff()
	staff.Open("/admin/orders?state=FAILED")
	staff.Click("main table a[href^='/admin/orders/']")
	staff.See("main", "No machine of the pool is free")
	order := e2e.Eval[string](staff, "location.pathname")
	at.open(t, h, box)

	staff.Open("/admin/pool")
	hubKey := strings.Split(e2e.Eval[string](staff, `document.querySelector(".codeblock code").textContent`), "'")[1]
	box.Do("echo '" + hubKey + "' >> /root/.ssh/authorized_keys")
	staff.Write("[name=name]", "machine one")
	staff.Write("[name=address]", box.Address)
	staff.Click("#machine button[type=submit]")
	staff.See("#machines", "Available")
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
	left(t, box, hubKey)
	at.shown(t, box)
	at.examined(t, h)
}

// order buys a server as a newcomer.
func order(p *e2e.Page) {
	p.Open("/pricing")
	p.Click(`a[href*="plan=build"]`)
	p.Click(`main form button[type=submit], main form button:not([type])`)
	p.Write("[name=business]", "Machine Bakery")
	p.Write("[name=name]", "The owner")
	p.Write("[name=email]", newcomer)
	p.Write("[name=password]", "a long enough pass phrase")
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

// left looks for what the set-up must not leave behind, and for what must run.
func left(t *testing.T, box *targettest.Machine, hubKey string) {
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
	key := strings.Fields(hubKey)[1]
	for _, dir := range []string{"root", "home", "etc", "var/lib", "tmp", "var/tmp", "var/log"} {
		err := filepath.WalkDir(filepath.Join(box.Root, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // gone meanwhile, or no file
			}
			if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), key) {
				t.Errorf("the hub's key stands in %s", path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
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
