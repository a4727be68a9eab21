package repocheck

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// power is what no package has unless it is named here: an agent's act goes through the gate, and what is not in these
// folders cannot act on the machine or the network by itself.
type power struct {
	name    string
	imports []string          // packages that give it
	names   []string          // names that give it, of packages that have harmless ones as well
	holders map[string]string // folder → what for
}

var powers = []power{
	{"start programs", []string{"os/exec"}, []string{"os.StartProcess", "syscall.Exec", "syscall.ForkExec", "syscall.StartProcess", "golang.org/x/sys/unix.Exec"}, map[string]string{
		"agentd/llm/via":                 "the model proxy, where no unit starts it",
		"agentd/sandbox":                 "the confined child of a tool",
		"agentd/tools/shell/inside":      "programs of an allowed call, in the sandbox alone",
		"app/provider/vpshost/local":     "agentd on this machine",
		"app/provider/target/targettest": "the machines of tests",
		"db/backup":                      "pg_dump, pg_restore and psql",
		"db/dbtest":                      "who stops the Postgres of tests when they were killed",
		"app/provider/dnshost/dnstest":   "name servers, for tests",
		"agentd/channel/email/mailtest":  "mail servers, for tests",
		"db/devpg":                       "the private Postgres of hub dev",
		"cmd/agentd":                     "itself again, in its own place",
		"cmd/bench":                      "what is measured",
		"cmd/kept":                       "the compiler, for the programs under test",
		"cmd/hub/rig":                    "the shipped programs under test",
		"views/browsertest":              "the browser of tests",
	}},
	{"make system calls", []string{"syscall", "golang.org/x/sys/unix"}, nil, map[string]string{
		"agentd/channel/email/mailtest":  "ends the mail servers of tests as a group",
		"agentd":                         "how full memory and disk are",
		"agentd/doctor":                  "what the machine gives",
		"agentd/failpoint":               "a death at a chosen point; in no program that is shipped",
		"agentd/linear":                  "the processor time of a test",
		"agentd/llm/socket":              "who is at the other end of a unix socket",
		"agentd/llm/via":                 "signals to the model proxy",
		"agentd/procmem":                 "memory given back",
		"agentd/sandbox":                 "namespaces, Landlock and seccomp",
		"agentd/store":                   "the lock of the state directory, modes of files",
		"agentd/taint":                   "when files were last changed",
		"agentd/tools/dataroot":          "paths that stay beneath one directory",
		"agentd/tools/filedelete":        "what a deletion would free",
		"agentd/tools/shell/inside":      "limits and signals of programs",
		"agentd/vault":                   "modes and blocks of secret files",
		"app/provider/vpshost/local":     "signals to agentd, and whether it lives",
		"app/provider/target/targettest": "a lock, and machines that die with their test",
		"app/provider/webpush":           "where a connection leads, before it is made",
		"cmd/agentd":                     "signals",
		"cmd/bench":                      "signals and resource use",
		"cmd/hub":                        "signals, what systemd is told, and new connections turned away",
		"cmd/hub/doctor":                 "how full disks are, and the clock",
		"cmd/hub/dev":                    "signals and locks",
		hubRig:                           "signals, and the owner of files",
		"cmd/hub/rig":                    "signals",
		"cmd/kept":                       "locks, and whose a folder is",
		"db/dbtest":                      "a session of its own for who stops the Postgres of tests",
		"db/devpg":                       "the user that Postgres runs as",
		"jobs":                           "the name of the machine",
	}},
	{"step around the types", []string{"unsafe", "C", "plugin"}, nil, map[string]string{"agentd/sandbox": "structures that the kernel reads"}},
	{"reach the network", []string{"net/smtp", "net/rpc", "net/rpc/jsonrpc", "github.com/wneessen/go-mail"}, []string{
		"net.Dial", "net.DialTimeout", "net.DialTCP", "net.DialUDP", "net.DialIP", "net.DialUnix", "net.Dialer", "net.ListenPacket", "net.ListenUDP",
		"crypto/tls.Dial", "crypto/tls.DialWithDialer", "crypto/tls.Dialer",
		"net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm", "net/http.DefaultClient", "net/http.DefaultTransport", "net/http.Client", "net/http.Transport",
		"net/http/httputil.ReverseProxy", "net/http/httputil.NewSingleHostReverseProxy",
		"github.com/coder/websocket.Dial",
	}, map[string]string{
		"agentd/certificate":                "the certificate authority",
		"agentd/container":                  "the container engine, by a unix socket",
		"agentd/container/filter":           "likewise",
		"agentd/doctor":                     "whether models could be reached past the proxy, and the firewall rules hold",
		"agentd/link":                       "the hub",
		"agentd/llm/openai":                 "the client of models, over the transport it is given",
		"agentd/llm/proxy":                  "model providers",
		"agentd/llm/socket":                 "the model proxy, by a unix socket",
		"agentd/llm/via":                    "the model proxy, by a unix socket",
		"agentd/tools/httprequest":          "what an allowed call names",
		"agentd/tools/message":              "the mail server of an allowed message",
		"agentd/channel/email":              "the mail servers of the mailbox that the owner has signed for",
		"agentd/channel/telegram":           "Telegram, for the bot that the owner has signed for",
		"agentd/channel/discord":            "Discord, for the bot that the owner has signed for",
		"agentd/channel/signal":             "signal-cli, for the account that the owner has signed for",
		"agentd/channel/slack":              "Slack, for the app that the owner has signed for",
		"agentd/channel/email/mailtest":     "its own servers on loopback, for tests",
		"agentd/vault/external":             "the external vault",
		portalRig:                           "the portal under test",
		hubRig:                              "the hub under test",
		"app/provider/mailer":               "the hub's mail server",
		"app/provider/target":               "machines that are set up over SSH",
		"app/provider/target/targettest":    "packages for the machines of tests",
		"app/provider/dnshost":              "the API of the DNS provider",
		"app/provider/vpshost/hetzner":      "the API of the provider that machines are rented from",
		"app/provider/vpshost/netcup":       "the panel of the provider whose machines are adopted",
		"app/provider/dnshost/dnstest":      "the API of the name servers, for tests",
		"app/provider/ecb":                  "the file of exchange rates",
		"app/provider/stripepay":            "the API of Stripe",
		"app/provider/stripepay/stripetest": "sends events to the hub under test",
		"app/provider/webpush":              "push services that browsers name, on the public Internet alone",
		"cmd/hub/dev":                       "the mail server of the demo itself, on loopback",
		"cmd/hub/doctor":                    "the public address of the hub itself",
		"cmd/bench":                         "what is measured",
		"cmd/bench/bare":                    "what it is compared with",
		"docs/allow":                        "an example to copy",
	}},
}

// TestPowers: each is held by the packages that are named, and each of those still needs it.
func TestPowers(t *testing.T) {
	t.Parallel()
	for _, p := range powers {
		held := map[string]string{} // folder → where it was seen
		for _, s := range allSources(t) {
			if by := p.in(s); by != "" {
				held[path.Dir(s.path)] = fmt.Sprintf("%s uses %s", s.path, by)
			}
		}
		for _, dir := range slices.Sorted(maps.Keys(held)) {
			if p.holders[dir] == "" {
				t.Errorf("%s may not %s: %s", dir, p.name, held[dir])
			}
		}
		for dir := range p.holders {
			if held[dir] == "" {
				t.Errorf("%s does not %s any more: take it off the list", dir, p.name)
			}
		}
	}
}

// in says by what a file has the power; empty when it does not.
func (p power) in(s source) string {
	for _, i := range s.paths {
		if slices.Contains(p.imports, i) {
			return i
		}
	}
	if s.imports["."] != "" {
		return "names without their package"
	}
	for _, u := range s.uses(false) {
		if slices.Contains(p.names, u) {
			return u
		}
	}
	return ""
}

// TestPowers_areSeen: the check sees a power under another name of its package, in a file for another system, and as a
// value that is called later.
func TestPowers_areSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`import . "net"; var d = Dial`:                           "start programs, make system calls, step around the types, reach the network",
		`import "os/exec"; var run = exec.Command`:               "start programs",
		`import x "os/exec"; var _ = x.Command`:                  "start programs",
		`import _ "os/exec"`:                                     "start programs",
		`import "os"; var run = os.StartProcess`:                 "start programs",
		`import s "syscall"; var _ = s.SYS_READ`:                 "make system calls",
		`import "unsafe"; var p unsafe.Pointer`:                  "step around the types",
		`import "C"`:                                             "step around the types",
		`import "net"; var d net.Dialer`:                         "reach the network",
		`import n "net"; var dial = n.Dial`:                      "reach the network",
		`import "net/http"; var c = &http.Client{}`:              "reach the network",
		`import "net/http"; func f() { http.Get("x") }`:          "reach the network",
		`import "net/http"; var h http.Handler`:                  "",
		`import "net"; var ip = net.ParseIP("127.0.0.1")`:        "",
		`import "os"; var open = os.Open`:                        "",
		`type net struct{ Dial int }; var n net; var _ = n.Dial`: "",
	} {
		s, err := parseSource("x_plan9.go", "package x\n"+strings.ReplaceAll(text, ";", "\n"))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got []string
		for _, p := range powers {
			if p.in(s) != "" {
				got = append(got, p.name)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
