package units_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/doctor"
	"gatehouse/agentd/sandbox"
	"gatehouse/agentd/units"
)

// The users of the test, in a machine of its own.
const (
	other  = 64320
	agentd = 64321
	proxy  = 64322
)

// step says what this process is for: the test again inside the machine, the sinks outside, or a program of a user.
const step = "FIREWALL_STEP"

func TestMain(m *testing.M) {
	sandbox.Main()
	switch os.Getenv(step) {
	case "outside":
		fatal(outside())
	case "dial":
		dial(os.Args[1], os.Args[2:])
	case "doctor":
		fatal(look(os.Args[1], os.Args[2]))
	default:
		os.Exit(m.Run())
	}
	os.Exit(0)
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestFirewall loads the shipped rules, with the real nft, into a machine of the test's own: a network and an /etc that
// nobody else has. Processes of agentd, of the proxy and of somebody else then try what they can reach of the network
// outside it, which writes down all that arrives.
func TestFirewall(t *testing.T) {
	if os.Getenv(step) == "machine" {
		inMachine(t)
		return
	}
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can be several users: the firewall rules were not tried")
	}
	tool(t, "nft", "nftables")
	tool(t, "ip", "iproute2")
	out, err := again(t.Context(), "machine", syscall.CLONE_NEWNET|syscall.CLONE_NEWNS, "-test.run=^TestFirewall$", "-test.v").CombinedOutput()
	switch {
	case err != nil && !errors.As(err, new(*exec.ExitError)):
		t.Skipf("this machine lets nobody make a network: the firewall rules were not tried: %v", err)
	case strings.Contains(string(out), "--- SKIP: TestFirewall "):
		t.Skipf("%s", out)
	case err != nil || !strings.Contains(string(out), "--- PASS: TestFirewall/undone "):
		t.Errorf("%v\n%s", err, out)
	}
}

// again is this binary for another step.
func again(ctx context.Context, name string, spaces uintptr, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), step+"="+name, "GORACE=atexit_sleep_ms=0") // the race detector would sleep at each end
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: spaces}
	return cmd
}

// tool finds a program of the machine. Without it the test fails: rules that were never loaded must not look like good ones.
func tool(t *testing.T, name, from string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	t.Fatalf("%s is missing, so the shipped firewall rules were not tried: install the package %s", name, from)
	return ""
}

// do runs a program of the machine.
func do(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(tool(t, name, name), args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

// Where things are outside. What is named is closed to agentd before the proxy was there.
const (
	provider, provider6, named = "203.0.113.10", "2001:db8::10", "203.0.113.11"
	hub, hub6                  = "203.0.113.20", "2001:db8::20"
	metadata, metadata6        = "169.254.169.254", "fd00:ec2::254"
)

func inMachine(t *testing.T) {
	has(t, "nft", parts)
	has(t, "nft", "delete table inet parts")
	layOut(t)
	w := tries{world(t)}
	load(t)
	t.Run("providers", w.providers)
	t.Run("metadata", w.metadata)
	t.Run("loopback", w.loopback)
	t.Run("operator", w.operator)
	t.Run("doctor", w.doctor)
	t.Run("undone", w.undone)
}

// parts is one of each thing that the shipped rules are made of: a kernel may have been built without some.
const parts = `table inet parts {
	set a { type ipv4_addr . inet_service; flags interval; }
	set b { type ipv6_addr . inet_service; flags dynamic, timeout; timeout 30d; size 65536; }
	chain c {
		type filter hook output priority filter; policy accept;
		meta skuid 1 ip daddr 127.71.72.73 reject with icmp type host-prohibited
		oif lo tcp flags & (syn | ack) == syn update @b { ip6 daddr . tcp dport }
		meta l4proto tcp th dport 9 ip daddr . tcp dport @a goto d
	}
	chain d {
		limit rate 6/minute log prefix "parts: " flags skuid
		meta l4proto tcp reject with tcp reset
		reject with icmpx type admin-prohibited
	}
}`

// has skips the test where the kernel, not what is shipped, is in the way of a program: with what it reads, or its arguments.
func has(t *testing.T, name, reads string, args ...string) {
	t.Helper()
	if reads != "" {
		args = []string{"--file", "-"}
	}
	cmd := exec.Command(tool(t, name, name), args...)
	cmd.Stdin = strings.NewReader(reads)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("this machine cannot do that: the firewall rules were not tried: %s %v %s: %s", name, args, reads, out)
	}
}

// load does what the service does.
func load(t *testing.T) { do(t, "nft", "--file", folder+"/agentd.nft") }

// folder is where the shipped files lie, in an /etc of the test's own.
const folder = "/etc/systemd/system"

// layOut gives this process an /etc of its own, with the users of the test and the shipped files.
func layOut(t *testing.T) {
	t.Helper()
	users := fmt.Sprintf("root:x:0:0::/:/bin/sh\nagentd:x:%d:%[1]d::/:/bin/false\nagentd-llm-proxy:x:%d:%[2]d::/:/bin/false\n", agentd, proxy)
	if err := cmp.Or(syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""), syscall.Mount("none", "/etc", "tmpfs", 0, "mode=755")); err != nil {
		t.Skipf("this machine lets nobody mount: the firewall rules were not tried: %v", err)
	}
	for _, err := range []error{
		os.WriteFile("/etc/passwd", []byte(users), 0o644),
		os.Mkdir("/etc/agentd", 0o755),
		os.WriteFile("/etc/agentd/firewall.nft", []byte("add element inet agentd providers4 { "+named+" . 443 }\n"), 0o600),
		os.MkdirAll(folder, 0o755),
		units.Write(folder),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// world makes the network outside, and gives what arrives there, line by line.
func world(t *testing.T) *bufio.Scanner {
	t.Helper()
	cmd := again(t.Context(), "outside", syscall.CLONE_NEWNET)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal("the world outside does not start")
	}
	t.Cleanup(func() {
		_ = in.Close() // that ends it
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the world outside says %q", lines.Text())
	}
	pid := fmt.Sprint(cmd.Process.Pid)
	has(t, "ip", "", "link", "set", "lo", "up")
	has(t, "ip", "", "link", "add", "here", "type", "veth", "peer", "name", "there", "netns", pid)
	has(t, "ip", "", "-6", "address", "add", "2001:db8:1::1/64", "dev", "here", "nodad")
	there := func(args ...string) {
		do(t, "nsenter", append([]string{"--net=/proc/" + pid + "/ns/net", tool(t, "ip", "iproute2")}, args...)...)
	}
	there("link", "set", "there", "up")
	for _, a := range []string{provider, named, hub, metadata} {
		there("address", "add", a+"/32", "dev", "there")
	}
	for _, a := range []string{provider6, hub6, metadata6} {
		there("address", "add", a+"/128", "dev", "there", "nodad")
	}
	there("route", "add", "198.51.100.0/24", "dev", "there")
	there("-6", "route", "add", "2001:db8:1::/64", "dev", "there")
	do(t, "ip", "link", "set", "here", "up")
	do(t, "ip", "address", "add", "198.51.100.1/24", "dev", "here")
	do(t, "ip", "route", "add", "default", "dev", "here")
	do(t, "ip", "-6", "route", "add", "default", "dev", "here")
	return lines
}

// outside is the other process: it writes down what arrives, by TCP one connection after the other, until its standard
// input ends.
func outside() error {
	l, err := net.Listen("tcp", ":443")
	if err != nil {
		return err
	}
	for _, port := range []string{":443", ":53"} {
		p, err := net.ListenPacket("udp", port)
		if err != nil {
			return err
		}
		go packets(p)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			said, err := io.ReadAll(c)
			fmt.Printf("%s %v\n", said, err)
			_ = c.Close()
		}
	}()
	fmt.Println("ready")
	_, err = io.ReadAll(os.Stdin)
	return err
}

func packets(p net.PacketConn) {
	buf := make([]byte, 100)
	for {
		n, _, err := p.ReadFrom(buf)
		fmt.Printf("%s %v\n", buf[:n], err)
	}
}

// within is how long anything may take on a machine that is busy with other tests.
const within = time.Minute

// dial is a program of a user: it says who it is to one place after the other, and writes down what came of it.
func dial(network string, places []string) {
	for _, to := range places {
		c, err := net.DialTimeout(network, to, within)
		if err == nil {
			_, err = fmt.Fprintf(c, "%d %s %s", os.Geteuid(), network, to)
			err = errors.Join(err, c.Close())
		}
		fmt.Println(err)
	}
}

// as runs this binary as a user, and gives what it writes.
func as(t *testing.T, who int, name string, args ...string) string {
	t.Helper()
	cmd := again(t.Context(), name, 0, args...)
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(who), Gid: uint32(who)}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s as %d: %v", name, who, err)
	}
	return string(out)
}

// reached says that a user reaches every one of these.
func reached(t *testing.T, who int, network string, places ...string) {
	t.Helper()
	all := as(t, who, "dial", append([]string{network}, places...)...)
	if all != strings.Repeat("<nil>\n", len(places)) {
		t.Fatalf("%d does not reach all of %s %v:\n%s", who, network, places, all)
	}
}

// refused says that a user is refused at once at every one of these.
func refused(t *testing.T, who int, network string, places ...string) {
	t.Helper()
	want := map[string]string{"tcp": "connect: connection refused\n", "udp": "write: operation not permitted\n"}[network]
	all := as(t, who, "dial", append([]string{network}, places...)...)
	if strings.Count(all, want) != len(places) {
		t.Errorf("%d is not refused at all of %s %v:\n%s", who, network, places, all)
	}
}

// tries is what arrives outside while users try what they can reach.
type tries struct{ arrived *bufio.Scanner }

// open says that a user reaches every one of these hosts, and that nothing else has arrived since.
func (w tries) open(t *testing.T, who int, network string, hosts ...string) {
	t.Helper()
	places := https(hosts)
	reached(t, who, network, places...)
	for _, to := range places {
		want := fmt.Sprintf("%d %s %s <nil>", who, network, to)
		if !w.arrived.Scan() || w.arrived.Text() != want {
			t.Fatalf("%q arrived, not %q", w.arrived.Text(), want)
		}
	}
}

// closed says that a user is refused by every one of these hosts. That nothing arrived is seen by what arrives next.
func (w tries) closed(t *testing.T, who int, network string, hosts ...string) {
	t.Helper()
	refused(t, who, network, https(hosts)...)
}

// https are the places of hosts, save where one already says its port.
func https(hosts []string) (places []string) {
	for _, h := range hosts {
		if _, _, err := net.SplitHostPort(h); err != nil {
			h = net.JoinHostPort(h, "443")
		}
		places = append(places, h)
	}
	return places
}

// providers: where the proxy has been, and what is named, is closed to agentd from then on; to nobody else.
func (w tries) providers(t *testing.T) {
	w.open(t, agentd, "tcp", hub, hub6, provider) // as nothing says yet that this is one
	w.closed(t, agentd, "tcp", named)
	w.open(t, proxy, "tcp", provider, provider6, named)
	w.closed(t, agentd, "tcp", provider, provider6, named)
	w.open(t, agentd, "tcp", hub, hub6)
	w.open(t, other, "tcp", provider, provider6, named, hub, hub6)
	w.open(t, proxy, "tcp", provider)
}

// metadata is for neither user, nor is anything but TCP and the question where a name leads.
func (w tries) metadata(t *testing.T) {
	for _, who := range []int{agentd, proxy} {
		w.closed(t, who, "tcp", metadata, metadata6)
		w.closed(t, who, "udp", metadata, hub, hub6, provider)
		w.open(t, who, "udp", hub+":53")
	}
	w.open(t, other, "tcp", metadata, metadata6)
	w.open(t, other, "udp", metadata, hub, hub6, provider)
}

// loopback: tools on this machine stay open; a model on it is the proxy's, save behind the web server that tools share.
func (w tries) loopback(t *testing.T) {
	model, web, tool := listen(t, "127.0.0.1:11434"), listen(t, "127.0.0.1:443"), listen(t, "[::1]:8080")
	reached(t, agentd, "tcp", model, web, tool)
	reached(t, proxy, "tcp", model, web)
	refused(t, agentd, "tcp", model)
	reached(t, agentd, "tcp", web, tool)
	reached(t, other, "tcp", model)
}

// listen takes connections on this machine until the test ends.
func listen(t *testing.T, at string) string {
	t.Helper()
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return at
}

// operator: with the lines that agentd.nft shows, agentd reaches what is listed, and this machine.
func (w tries) operator(t *testing.T) {
	site := "add rule inet agentd site ip daddr . tcp dport { " + hub + " . 443 } accept\nadd rule inet agentd site udp dport 53 accept\nadd rule inet agentd site oifname != \"lo\" goto refuse\n"
	if err := os.WriteFile("/etc/agentd/firewall-site.nft", []byte(site), 0o600); err != nil {
		t.Fatal(err)
	}
	load(t)
	w.open(t, agentd, "tcp", hub)
	w.closed(t, agentd, "tcp", hub6, provider, provider6, named)
	reached(t, agentd, "tcp", listen(t, "127.0.0.1:8080"))
	w.open(t, proxy, "tcp", provider)
	if err := os.Remove("/etc/agentd/firewall-site.nft"); err != nil {
		t.Fatal(err)
	}
	load(t)
	w.open(t, agentd, "tcp", hub6)
}

// doctor: agentd's user feels that the rules hold, and another is told that they do not hold for it.
func (w tries) doctor(t *testing.T) {
	w.open(t, proxy, "tcp", provider)
	by := doctored(t, agentd, "http://"+provider+":443")
	if by["firewall"].State != doctor.OK || by["bypass"].State != doctor.OK || !strings.Contains(by["bypass"].Text, provider) {
		t.Errorf("with the rules: %+v, %+v", by["firewall"], by["bypass"])
	}
	if f := doctored(t, other, "")["firewall"]; f.State != doctor.Warn || !strings.Contains(f.Mend, folder) {
		t.Errorf("another user: %+v", f)
	}
}

// undone: what was refused was refused by these rules.
func (w tries) undone(t *testing.T) {
	do(t, "nft", "delete", "table", "inet", "agentd")
	w.open(t, agentd, "tcp", provider, named, metadata, metadata6)
	w.open(t, proxy, "udp", hub)
	if f := doctored(t, agentd, "")["firewall"]; f.State != doctor.Warn {
		t.Errorf("without the rules: %+v", f)
	}
}

// doctored is what agentd doctor finds as a user, by name.
func doctored(t *testing.T, who int, models string) map[string]doctor.Finding {
	t.Helper()
	dir := fmt.Sprintf("/etc/state-%d", who)
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.Chown(dir, who, who)); err != nil {
		t.Fatal(err)
	}
	out := as(t, who, "doctor", dir, models)
	var r doctor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	by := map[string]doctor.Finding{}
	for _, f := range r.Findings {
		by[f.Name] = f
	}
	return by
}

// look is agentd doctor.
func look(dir, models string) error {
	r := doctor.Check(context.Background(), doctor.Input{Data: dir, State: dir, Now: time.Now, ModelBaseURL: models})
	return json.NewEncoder(os.Stdout).Encode(r)
}
