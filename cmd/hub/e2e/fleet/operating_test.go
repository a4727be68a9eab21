package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/app/provider/target/targettest"
	"gatehouse/cmd/hub/devmail"
	"gatehouse/cmd/hub/e2e"
)

// here are what the page leaves to the reader, as it is on the machine of the test: a mail server without TLS and sign-in.
var here = map[string]string{
	"SMTP_TLS=1\n": "", "SMTP_USER=hub@example.com\n": "", "SMTP_PASSWORD_FILE=/etc/gatehouse/secrets/smtp.password\n": "",
}

// blocks are what docs/OPERATING.md says to type on the hub's machine, in order.
func blocks(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e2e.Root, "docs/OPERATING.md"))
	must(t, err)
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if !strings.HasPrefix(m[1], "# elsewhere") {
			all = append(all, m[1])
		}
	}
	return all
}

// TestOperating follows docs/OPERATING.md, block by block, on a bare Debian machine with the two programs in /root. What it needs
// from outside are the distribution's packages and a mail server. At the end the machine says itself that all is well, and both
// hubs and the workers run as their user.
func TestOperating(t *testing.T) {
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		t.Skip("in the soak: it sets up a whole machine, with Postgres and nginx")
	}
	box := targettest.Boot(t)
	for _, name := range []string{"hub", "agentd"} {
		b, err := os.ReadFile(filepath.Join(e2e.Programs(t), name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(box.Root, "root", name), b, 0o755))
	}
	mail, mails := mailServer(t, box)
	for i, block := range blocks(t) {
		block = strings.ReplaceAll(block, "mail.example.com:587", mail)
		for old, now := range here {
			block = strings.ReplaceAll(block, old, now)
		}
		began := time.Now()
		out, err := box.Try("export DEBIAN_FRONTEND=noninteractive LC_ALL=C\n" + block)
		t.Logf("block %d, %s\n%s%s", i+1, time.Since(began).Round(time.Second), block, out)
		if err != nil {
			log, _ := box.Try("journalctl --no-pager -n 60 -u 'gatehouse*' -u nats-server -u nginx; systemctl --failed --no-pager")
			t.Fatalf("block %d: %v\n%s", i+1, err, log)
		}
	}
	pid := func(unit string) string { return "/proc/$(systemctl show --property=MainPID --value " + unit + ")" }
	services := "gatehouse-hub@8081 gatehouse-hub@8082 gatehouse-work gatehouse-backup.timer nginx nats-server"
	doctor := "hub --env /etc/gatehouse/hub.env doctor --json"
	password := "\"$(cut -d: -f3 /etc/gatehouse/secrets/database.url | cut -d@ -f1)\""
	for ask, want := range map[string]string{
		"systemctl is-active " + services + " | sort -u":                                         "active",
		"systemctl --failed --plain --no-legend | grep -c gatehouse || true":                     "0",
		"stat -c %U " + pid("gatehouse-hub@8082"):                                                "gatehouse",
		"runuser -u gatehouse -- cat /etc/gatehouse/secrets/secret.key 2>&1 | grep -c denied":    "1",
		"tr '\\0' '\\n' < " + pid("gatehouse-hub@8081") + "/environ | grep -c postgres: || true": "0",
		"journalctl --no-pager -u 'gatehouse*' | grep -c -F " + password + " || true":            "0",
		doctor + " | grep -c '\"state\": \"fail\"' || true":                                      "0",
		doctor + " | grep -A2 'public address' | grep -c '\"state\": \"ok\"'":                    "1",
		"ls /var/backups/gatehouse/*.age | wc -l":                                                "2",
	} {
		if got, err := box.Try(ask); strings.TrimSpace(got) != want {
			t.Errorf("%s\n\tgot  %q, %v\n\twant %q", ask, got, err, want)
		}
	}
	box.Do("hub --env /etc/gatehouse/hub.env doctor --mail-to you@example.com")
	if ids, err := mails.IDs(); err != nil || len(ids) == 0 {
		t.Errorf("no mail arrived: %v, %v", ids, err)
	}
}

// mailServer takes mail from the machine.
func mailServer(t *testing.T, box *targettest.Machine) (addr string, mails *devmail.Store) {
	t.Helper()
	l, err := net.Listen("tcp", box.Host+":0")
	must(t, err)
	mails, err = devmail.OpenStore(t.TempDir(), time.Now)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- devmail.Catch(ctx, l, mails, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(fmt.Errorf("mail server: %w", err))
		}
	})
	return l.Addr().String(), mails
}
