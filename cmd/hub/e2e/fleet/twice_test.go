package fleet

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/target/targettest"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/cmd/hub/e2e"
)

// rival holds the ports of the web server, as a program that came with the machine does, under a name that step 3 knows.
const rival = `cat >/etc/systemd/system/lighttpd.service <<'UNIT'
[Unit]
Description=A web server that came with the machine
[Service]
ExecStart=/usr/bin/perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalPort => 80, Listen => 5, ReuseAddr => 1) or die; sleep'
[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable --quiet --now lighttpd
systemctl is-active lighttpd`

// TestTwice: on a machine whose ports somebody else holds, the set-up stops that (step 3) and starts agentd (step 10). Done once more, all
// ten steps find nothing to do, and nothing on the machine changes. In the soak.
func TestTwice(t *testing.T) {
	if why := targettest.Lack(); why != "" {
		t.Skip(why)
	}
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		t.Skip("a machine that is set up twice is for the soak")
	}
	h, _ := e2e.Start(t, "HUB_PROVIDER=pool")
	box := targettest.Boot(t)
	tunnel(t, box, h.URL(""))
	if got := box.Do(rival); !strings.HasSuffix(strings.TrimSpace(got), "active") {
		t.Fatalf("the other web server is %q", got)
	}
	owner, staff := h.NewPage(t), h.NewPage(t)
	staff.SignInStaff()
	offer(t, staff, box)
	order(owner)
	staff.Open("/admin/orders")
	staff.Click("main table a[href^='/admin/orders/']")
	ready(t, h, staff)
	if got := steps(t, h); !strings.Contains(got, "conflicts done") || !strings.Contains(got, "agentd done") {
		t.Errorf("the first time: %s", got)
	}

	hub := hubSigner(t, h)
	letIn(box, hub)
	before := state(box)
	book := &ledger{}
	r := &setup.Runner{Key: hub, Agentd: filepath.Join(e2e.Programs(t), "agentd"), Record: book}
	ten := setup.Steps()[:10]
	at := target.Machine{Address: box.Address, Ports: []int{22022}, Login: "root"}
	_, err := r.Run(t.Context(), at, asSetUp(t, h, box), ten, func(lines ...string) { t.Log(strings.Join(lines, "\n")) })
	must(t, err)
	if got := strings.Join(book.ended, ", "); strings.Count(got, "kept") != len(ten) {
		t.Errorf("the second time: %s", got)
	}
	if after := state(box); after != before {
		t.Errorf("the machine changed:\n%s\n%s", before, after)
	}
}

// steps is what became of each step of the newest set-up.
func steps(t *testing.T, h *e2e.Hub) (all string) {
	t.Helper()
	conn := h.Connect(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	must(t, conn.QueryRow(t.Context(), `SELECT string_agg(step || ' ' || state, ', ' ORDER BY started_at) FROM setup_steps`).Scan(&all))
	return all
}

// letIn undoes the end of a set-up, which takes the hub's way in away.
func letIn(box *targettest.Machine, key ssh.Signer) {
	box.Do(`echo '` + target.KeyText(key.PublicKey()) + `' >>/root/.ssh/authorized_keys
sed -i 's/^PermitRootLogin .*/PermitRootLogin prohibit-password/' /etc/ssh/sshd_config.d/00-gatehouse.conf
systemctl reload ssh`)
}

// asSetUp is the plan by which the machine was set up, as its own files say.
func asSetUp(t *testing.T, h *e2e.Hub, box *targettest.Machine) setup.Plan {
	t.Helper()
	read := func(file, name string) string {
		text, err := os.ReadFile(filepath.Join(box.Root, file))
		must(t, err)
		for line := range strings.Lines(string(text)) {
			if value, found := strings.CutPrefix(strings.TrimSpace(line), name+"="); found {
				return value
			}
		}
		return ""
	}
	const env, wipe = "etc/agentd/agentd.env", "etc/gatehouse/wipe.env"
	p := setup.Plan{
		ServerID: read(wipe, "AGENTD_WIPE_SERVER"), Commands: read(wipe, "AGENTD_WIPE_KEY"), Hub: read(env, "AGENTD_HUB"),
		SMTPAddr: read(env, "AGENTD_SMTP_ADDR"), MailFrom: read(env, "AGENTD_MAIL_FROM"),
		ModelURL: read("etc/agentd/model.env", "MODEL_BASE_URL"), ModelName: read("etc/agentd/model.env", "MODEL_NAME"),
	}
	conn := h.Connect(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	must(t, conn.QueryRow(t.Context(), "SELECT admin_key FROM orders ORDER BY id DESC LIMIT 1").Scan(&p.AdminKey))
	if raw, err := os.ReadFile(filepath.Join(box.Root, "etc/nginx/sites-available/gatehouse-name")); err == nil {
		_, rest, _ := strings.Cut(string(raw), "server_name ")
		p.Name, _, _ = strings.Cut(rest, ";")
	}
	return p
}

// state is what a step could change: configuration with its times, since when services run, and the rules of the firewall without what they
// have counted.
func state(box *targettest.Machine) string {
	return box.Do(`find /etc /usr/local/bin /opt /var/www -xdev -type f ! -name 'resolv.conf*' ! -name '*-' ! -name mtab \
	-printf '%p %T@ %s %m %u\n' | sort
for u in nginx docker ssh fail2ban agentd agentd-containers gatehouse-firewall; do
	echo "$u $(systemctl show --property=ActiveEnterTimestampMonotonic --value "$u")"
done
docker ps --all --format '{{.ID}} {{.Status}}' | cut -d' ' -f1,2
nft --stateless list ruleset | sha256sum`)
}

// ledger is a record in memory, for one worker.
type ledger struct{ ended []string }

func (l *ledger) Begin(context.Context, string) (int, error)       { return 1, nil }
func (l *ledger) Beat(context.Context, string, int) error          { return nil }
func (l *ledger) Leave(context.Context, string, int) error         { return nil }
func (l *ledger) Start(context.Context, string, int, string) error { return nil }
func (l *ledger) End(_ context.Context, _ string, _ int, step string, s setup.State, _ string) error {
	l.ended = append(l.ended, step+" "+string(s))
	return nil
}
