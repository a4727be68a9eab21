package fleet

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/provider/target/targettest"
	"gatehouse/cmd/hub/e2e"
	"gatehouse/cmd/hub/rig"
)

// busy holds the locks of the machine's package manager, as the first updates of a new machine do, until idle; full leaves no room for
// packages, until room.
const (
	busy = `cat >/root/busy.pl <<'PERL'
for ("/var/lib/apt/lists/lock", "/var/lib/dpkg/lock-frontend") {
	open my $f, ">>", $_ or die; push @f, $f;
	my $lock = pack "s s x4 q q l x4", 1, 0, 0, 0, 0;
	fcntl $f, 6, $lock or die;
}
sleep 1 while -e "/root/busy";
PERL
touch /root/busy
setsid perl /root/busy.pl >/dev/null 2>&1 </dev/null &`
	idle = "rm /root/busy"
	full = "mount -t tmpfs -o size=64k tmpfs /var/cache/apt/archives"
	room = "umount /var/cache/apt/archives"
)

// TestCut: on a machine whose package manager is at work and whose disk is full, the order waits, says why it cannot go on, and goes on
// once there is room; then the hub is killed in each step, and goes on in the same one until the machine is a server. In the soak.
func TestCut(t *testing.T) {
	if why := targettest.Lack(); why != "" {
		t.Skip(why)
	}
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		t.Skip("a machine whose set-up is cut off in each step is for the soak")
	}
	h, _ := e2e.Start(t, "HUB_PROVIDER=pool")
	box := targettest.Boot(t)
	tunnel(t, box, h.URL(""))
	given := watch(t, box)
	box.Do(busy)
	box.Do(full)

	owner, staff := h.NewPage(t), h.NewPage(t)
	staff.SignInStaff()
	hubKey := offer(t, staff, box)
	order(owner)
	staff.Open("/admin/orders")
	staff.Click("main table a[href^='/admin/orders/']")
	path := e2e.Eval[string](staff, "location.pathname")
	told(t, h, "another package manager is at work")
	box.Do(idle)
	told(t, h, "free space in /var/cache/apt/archives")
	staff.Open(path)
	staff.See("main", "You don't have enough free space")
	box.Do(room)

	cut := killed(t, h)
	if len(cut) < 11 {
		t.Errorf("the hub was killed in %q alone", cut)
	}
	staff.Open(path)
	ready(t, h, staff)
	owner.Open("/app/chat")
	owner.Say("How full is the disk?")
	owner.Until("the answer", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	left(t, box, hubKey, given)
}

// offer puts the machine into the pool. It returns the hub's key.
func offer(t *testing.T, staff *e2e.Page, box *targettest.Machine) string {
	t.Helper()
	staff.Open("/admin/pool")
	key := e2e.Eval[string](staff, `document.querySelector(".codeblock code").textContent.split("'")[1]`)
	box.Do("echo '" + key + "' >> /root/.ssh/authorized_keys")
	staff.Write("[name=name]", "machine one")
	staff.Write("[name=address]", box.Address)
	staff.Click("#machine button[type=submit]")
	staff.See("#machines", "Available")
	return key
}

// told waits until the log of the order says something.
func told(t *testing.T, h *e2e.Hub, what string) {
	t.Helper()
	within(t, h, what, func(ctx context.Context, conn *pgx.Conn) (there bool, err error) {
		err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM order_log WHERE position($1 in text) > 0)", what).Scan(&there)
		return there, err
	})
}

// killed kills the hub once in each step, as soon as the step runs, and starts it again, until the order is fulfilled. It returns the
// steps in which it did.
func killed(t *testing.T, h *e2e.Hub) (cut []string) {
	t.Helper()
	for ended := false; !ended; {
		var step string
		within(t, h, "the next step", func(ctx context.Context, conn *pgx.Conn) (bool, error) {
			err := conn.QueryRow(ctx, `SELECT o.state = 'FULFILLED', coalesce((SELECT step FROM setup_steps WHERE state = 'running'
				ORDER BY started_at DESC LIMIT 1), '') FROM orders AS o ORDER BY o.id DESC LIMIT 1`).Scan(&ended, &step)
			return ended || step != "" && !slices.Contains(cut, step), err
		})
		if ended {
			return cut
		}
		h.Kill(t)
		cut = append(cut, step)
		h.Start(t)
	}
	return cut
}

// within asks the hub's database until done.
func within(t *testing.T, h *e2e.Hub, what string, done func(context.Context, *pgx.Conn) (bool, error)) {
	t.Helper()
	conn := h.Connect(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	ctx, cancel := context.WithTimeout(t.Context(), setUpWithin)
	defer cancel()
	var err error
	if !rig.Until(ctx, func() (yes bool) { yes, err = done(ctx, conn); return yes || err != nil }) || err != nil {
		t.Fatalf("%s: not within %s, %v", what, setUpWithin.Round(time.Minute), err)
	}
}
