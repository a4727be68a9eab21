package setup_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/target/targettest"
	"gatehouse/app/provider/vpshost/setup"
)

// ledger is a record in memory, for one worker.
type ledger struct {
	sync.Mutex
	attempt int
	ended   []string // "packages done"
}

func (l *ledger) Begin(context.Context, string) (int, error) { l.attempt++; return l.attempt, nil }
func (l *ledger) Beat(context.Context, string, int) error    { return nil }
func (l *ledger) Leave(context.Context, string, int) error   { return nil }

func (l *ledger) Start(context.Context, string, int, string) error { return nil }

func (l *ledger) End(_ context.Context, _ string, _ int, step string, s setup.State, text string) error {
	l.ended = append(l.ended, strings.TrimSpace(fmt.Sprintf("%s %s %s", step, s, text)))
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// before are the steps without agentd, which needs a hub.
func before() []setup.Step {
	return slices.DeleteFunc(setup.Steps(), func(s setup.Step) bool { return s.Name == "agentd" || s.Name == "leave" })
}

// TestSteps: each has its script, which says what it does and has a check.
func TestSteps(t *testing.T) {
	t.Parallel()
	for i, s := range setup.Steps() {
		if s.Number != i+1 || !strings.HasSuffix(s.About(), ".") || !strings.Contains(s.Script(), "\ncheck() {") ||
			!strings.Contains(s.Script(), "\ndo_it() {") {
			t.Errorf("%d: %+v, %q", i, s.Name, s.About())
		}
	}
}

// TestRun: a bare machine becomes a server's ground; a second run finds nothing to do, and what was broken meanwhile is mended.
// Without GATEHOUSE_SOAK only cmd/hub/e2e/fleet sets a machine up, by turns.
func TestRun(t *testing.T) {
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		t.Skip("a soak")
	}
	t.Parallel()
	box := targettest.Boot(t)
	tool := filepath.Join(t.TempDir(), "agentd")
	must(t, os.WriteFile(tool, []byte("a program"), 0o700))
	book := &ledger{}
	r := &setup.Runner{Key: box.Key, Agentd: tool, Record: book}
	at := target.Machine{Address: box.Address, Ports: []int{22}, Login: "root"}
	owners := target.KeyText(box.Key.PublicKey())
	run := func() []string {
		t.Helper()
		book.ended = nil
		var err error
		at, err = r.Run(t.Context(), at, setup.Plan{ServerID: "s1", Hub: "https://hub.example", AdminKey: owners}, before(),
			func(lines ...string) {
				for _, l := range lines {
					t.Log(l)
				}
			})
		must(t, err)
		return book.ended
	}
	const first = "packages done, docker done, conflicts kept, nginx done, firewall done, admin done, ssh done, upgrades done, tools done"
	if got := strings.Join(run(), ", "); got != first {
		t.Errorf("first: %s", got)
	}
	if at.HostKey == "" || !slices.Equal(at.Ports, []int{22022}) {
		t.Errorf("the machine is met as %+v", at)
	}
	secured(t, box, at)
	if got := strings.Join(run(), ", "); got != strings.ReplaceAll(first, "done", "kept") {
		t.Errorf("second: %s", got)
	}
	box.Do("systemctl stop nginx; nft flush ruleset; rm /etc/fail2ban/jail.d/gatehouse.conf")
	if got := strings.Join(run(), ", "); !strings.Contains(got, "nginx done, firewall done") || !strings.Contains(got, "ssh done") ||
		strings.Count(got, "kept") != 6 {
		t.Errorf("after damage: %s", got)
	}
}

// secured looks at the machine itself.
func secured(t *testing.T, box *targettest.Machine, at target.Machine) {
	t.Helper()
	for ask, want := range map[string]string{
		"ss -Hltn '( sport = :22 or sport = :22022 )' | grep -o ':22[0-9]*' | sort -u":     ":22022",
		"sshd -T | grep -x 'passwordauthentication no'":                                    "passwordauthentication no",
		"docker info --format '{{.LiveRestoreEnabled}}'":                                   "true",
		"systemctl is-active nginx docker fail2ban ssh gatehouse-firewall | sort -u":       "active",
		"systemctl --failed --plain --no-legend | wc -l":                                   "0",
		"nft list chain inet gatehouse input | grep -c 'tcp dport { 80, 443 } accept'":     "1",
		"nft list chain inet gatehouse input | grep 'dport' | grep -cv '80, 443\\|22022'":  "0",
		"passwd -S gatehouse | cut -d' ' -f2; stat -c %a /home/gatehouse/.ssh":             "L\n700",
		"curl -s --noproxy '*' -o /dev/null -w '%{http_code}' -H 'Host: x' 127.0.0.1/else": "404",
	} {
		if got, _ := box.Try(ask); got != want {
			t.Errorf("%s\n\tgot  %q\n\twant %q", ask, got, want)
		}
	}
	if _, err := target.Dial(t.Context(), target.Machine{Address: box.Address, Ports: []int{22}, Login: "root"}, box.Key); err == nil {
		t.Error("the old port is open")
	}
	owner, err := target.Dial(t.Context(), target.Machine{
		Address: box.Address, Ports: []int{22022}, Login: "gatehouse",
		HostKey: at.HostKey,
	}, box.Key)
	must(t, err)
	must(t, owner.Close())
}
