package jobs_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/audit"
	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/app/provider/vpshost/hetzner/hetznertest"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/support"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
)

// rentedHost is the provider whose API stands at url.
func rentedHost(url string, d *db.DB) *hetzner.Host {
	seed := bytes.Repeat([]byte{7}, 32)
	key, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed))
	if err != nil {
		panic(err)
	}
	return hetzner.New(hetzner.Options{
		Token: hetznertest.Token, Endpoint: url, Wanted: hetzner.Wanted{"eu": {Type: "cx23", Location: "nbg1"}}, Store: &db.Rented{DB: d},
		KeySeed: seed, Boot: time.Minute, Site: &setup.Site{Runner: &setup.Runner{Key: key}, Setups: &db.Setups{DB: d, Now: time.Now}},
	})
}

func (b *bench) acts() *db.MachineActs {
	queue, err := jobs.NewQueue(b.db.Pool, quiet)
	if err != nil {
		panic(err)
	}
	return &db.MachineActs{DB: b.db, Jobs: queue}
}

func (b *bench) machineWorker(host *hetzner.Host, store machine.Store) *machine.Worker {
	return &machine.Worker{
		Store: store, Days: db.SnapshotConsents{MachineActs: b.acts()}, Servers: b.servers,
		Places: map[string]machine.Place{hetzner.Name: host}, Notify: b.told, Log: quiet, Now: time.Now,
	}
}

// deafStore never comes back from keeping what a provider called what it began.
type deafStore struct{ *db.MachineActs }

func (deafStore) Begun(ctx context.Context, _, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// fleet is a server on a rented machine, and what our staff do with it.
type fleet struct {
	*bench
	project  *hetznertest.Project
	host     *hetzner.Host
	machines *machine.Service
	srv      server.Server
}

var ourOwner = audit.Actor{
	Kind: audit.Staff, ID: "01980000-0000-7000-8000-0000000000aa", Name: "owner@example.org", Role: string(staff.Owner),
}

func newFleet(t *testing.T, d *db.DB) *fleet {
	t.Helper()
	f := &fleet{bench: newBench(t, d), project: hetznertest.New(t)}
	f.bench.host.linked = true
	f.host = rentedHost(f.project.URL, d)
	f.machines = &machine.Service{
		Store: f.acts(), Servers: f.servers, Codes: dbtest.Sure{}, Now: time.Now,
		Windows: &support.Service{Store: &db.SupportWindows{DB: d}, Now: time.Now},
		Can:     map[string]machine.Abilities{hetzner.Name: machine.AbilitiesOf(f.host)},
	}
	_, o := f.checkout(t)
	var err error
	if f.srv, err = f.servers.Add(t.Context(), o.CustomerID, string(o.ID), o.Slug, hetzner.Name); err == nil {
		err = f.host.Allocate(t.Context(), vpshost.Spec{ServerID: string(f.srv.ID), Slug: o.Slug, Plan: "build", Region: "eu"})
	}
	if err == nil {
		_, err = d.Pool.Exec(t.Context(), "DELETE FROM river_job") // the order itself is another test's
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// let has the owner's window for the machine be open to our staff.
func (f *fleet) let(t *testing.T) {
	t.Helper()
	_, err := f.db.Pool.Exec(t.Context(), `INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at)
		VALUES ($1, $2, $2, 'Somebody', $3, '$argon2id$x', '\\x00', now())`, ourOwner.ID, ourOwner.Name, ourOwner.Role)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.db.Pool.Exec(t.Context(), `INSERT INTO support_windows (id, customer_id, server_id, staff_id, staff_name, key_kind, spki,
		purpose, hours, what, state, asked_at, opened_at, until) VALUES (gen_random_uuid(), $1, $2, $3, $4, 'browser', 'AA',
		'rescue', 4, '{machine}', 'open', now(), now(), now() + interval '4 hours')`,
		f.srv.CustomerID, f.srv.ID, ourOwner.ID, ourOwner.Name)
	if err != nil {
		t.Fatal(err)
	}
}

// agree has the owner agree to snapshots.
func (f *fleet) agree(t *testing.T, since time.Time) {
	t.Helper()
	_, err := f.db.Pool.Exec(t.Context(), "INSERT INTO snapshot_consents SELECT customer_id, id, $2 FROM users WHERE customer_id = $1",
		f.srv.CustomerID, since)
	if err != nil {
		t.Fatal(err)
	}
}

func (f *fleet) start(t *testing.T, dir string) {
	t.Helper()
	deps := f.deps(time.Now)
	deps.Dir, deps.Machines = dir, f.machineWorker(f.host, f.acts())
	f.work(t, deps)
}

// do asks for something and waits for its end.
func (f *fleet) do(t *testing.T, w machine.Want) machine.Act {
	t.Helper()
	a, err := f.machines.Do(t.Context(), f.srv.ID, w, ourOwner)
	if err != nil {
		t.Fatalf("%s: %v", w.Verb, err)
	}
	return f.end(t, a.ID)
}

// end waits for the end of an act. Pauses between two looks are over at once.
func (f *fleet) end(t *testing.T, id string) (a machine.Act) {
	t.Helper()
	eventually(t, "the act ends", func() bool {
		_, err := f.db.Pool.Exec(t.Context(), "UPDATE river_job SET state = 'available', scheduled_at = now() WHERE state = 'scheduled'")
		if err == nil {
			a, err = f.machines.Store.Get(t.Context(), id)
		}
		if err != nil {
			t.Fatal(err)
		}
		return !a.EndedAt.IsZero()
	})
	return a
}

func (f *fleet) view(t *testing.T) machine.View {
	t.Helper()
	v, err := f.machines.View(t.Context(), f.srv)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const someKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEgIxC8XWcP1zLyyMoGNgP0G2yUfU8Gr1zBpJ4dsaNZD me"

// TestMachines_acts: all that can be done with a machine is done once by a worker and seen afterwards. The owner gets a letter about
// what makes somebody root on the machine.
func TestMachines_acts(t *testing.T) {
	t.Parallel()
	f := newFleet(t, dbtest.New(t))
	f.let(t)
	f.agree(t, time.Now())
	f.start(t, "")
	for _, c := range []struct {
		want  machine.Want
		did   string
		power machine.Power
	}{
		{machine.Want{Verb: machine.Off}, "shutdown_server", machine.PowerOff},
		{machine.Want{Verb: machine.On}, "start_server", machine.PowerOn},
		{machine.Want{Verb: machine.Reset}, "reset_server", machine.PowerOn},
		{machine.Want{Verb: machine.RescueOn, Key: someKey}, "enable_rescue", machine.PowerOn},
		{machine.Want{Verb: machine.Take}, "create_image", machine.PowerOn},
		{machine.Want{Verb: machine.Reinstall}, "rebuild_server", machine.PowerOn},
	} {
		was := f.project.Did(c.did)
		if a := f.do(t, c.want); a.State != machine.Done || f.project.Did(c.did) != was+1 {
			t.Errorf("%s: %s %q, done %d times", c.want.Verb, a.State, a.Said, f.project.Did(c.did)-was)
		}
		eventually(t, "it is seen", func() bool { return f.view(t).Seen.Power == c.power })
		if rescue := f.view(t).Rescue; rescue != (c.want.Verb == machine.RescueOn || c.want.Verb == machine.Take) {
			t.Errorf("after %s: rescue %t", c.want.Verb, rescue)
		}
	}
	v := f.view(t)
	if len(v.Copies) != 1 || len(v.Seen.Measures) != 5 || v.Seen.Measures[0].Max != 0.4 {
		t.Fatalf("copies %+v, measures %+v", v.Copies, v.Seen.Measures)
	}
	f.do(t, machine.Want{Verb: machine.Restore, Copy: v.Copies[0].ID})
	f.do(t, machine.Want{Verb: machine.Drop, Copy: v.Copies[0].ID})
	if v = f.view(t); len(v.Copies) != 0 || len(f.project.Images()) != 0 {
		t.Errorf("left %+v", v.Copies)
	}
	eventually(t, "the owner is told", func() bool {
		sent := f.mails.subjects()
		return sent[machine.LetterRescue] == 1 && sent[machine.LetterReinstall] == 1 && sent[machine.LetterRestore] == 1
	})
}

// TestMachines_killedWorker kills a worker process between the provider's answer and the hub's own note of it: the next one finds
// what was begun, and begins nothing more.
func TestMachines_killedWorker(t *testing.T) {
	t.Parallel()
	dsn, dir := dbtest.NewDSN(t), t.TempDir()
	d, err := db.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	f := newFleet(t, d)
	a, err := f.machines.Do(t.Context(), f.srv.ID, machine.Want{Verb: machine.Reinstall}, ourOwner)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "JOBS_TEST_WORKER_DSN="+dsn, "JOBS_TEST_WORKER_DIR="+dir, "JOBS_TEST_HETZNER_URL="+f.project.URL)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	eventually(t, "the provider has begun", func() bool { return f.project.Did("rebuild_server") == 1 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got, err := f.machines.Store.Get(t.Context(), a.ID); err != nil || got.Task != "" || !got.Marked {
		t.Fatalf("before the next worker: %+v, %v", got, err)
	}
	f.start(t, dir)
	if got := f.end(t, a.ID); got.State != machine.Done || f.project.Did("rebuild_server") != 1 {
		t.Errorf("%s %q, begun %d times", got.State, got.Said, f.project.Did("rebuild_server"))
	}
}

// TestMachines_faults: an answer that was lost, a limit and a refusal of the provider lead to what happened, said in words.
func TestMachines_faults(t *testing.T) {
	t.Parallel()
	f := newFleet(t, dbtest.New(t))
	f.start(t, "")
	f.project.Fail(hetznertest.Fault{Method: http.MethodPost, Path: "/servers/", After: true},
		hetznertest.Fault{Method: http.MethodGet, Path: "/servers", Status: http.StatusInternalServerError, Code: "server_error"})
	if a := f.do(t, machine.Want{Verb: machine.Reset}); a.State != machine.Done || f.project.Did("reset_server") != 1 {
		t.Errorf("a lost answer: %s %q, begun %d times", a.State, a.Said, f.project.Did("reset_server"))
	}
	f.project.Fail(hetznertest.Fault{Method: http.MethodPost, Path: "/servers/", Status: http.StatusLocked, Code: "protected"})
	if a := f.do(t, machine.Want{Verb: machine.Reinstall}); a.State != machine.Failed || a.Said == "" {
		t.Errorf("a refusal: %s %q", a.State, a.Said)
	}
	if err := f.host.Retire(t.Context(), string(f.srv.ID)); err != nil {
		t.Fatal(err)
	}
	if a := f.do(t, machine.Want{Verb: machine.On}); a.State != machine.Failed || a.Said == "" {
		t.Errorf("a machine that is gone: %s %q", a.State, a.Said)
	}
	eventually(t, "the page says that the machine is gone", func() bool { return f.view(t).Seen.Problem != "" })
}

// TestMachines_neverAnswers: nobody waits for ever. What is not known is said to be not known.
func TestMachines_neverAnswers(t *testing.T) {
	t.Parallel()
	f := newFleet(t, dbtest.New(t))
	a, err := f.machines.Do(t.Context(), f.srv.ID, machine.Want{Verb: machine.Reset}, ourOwner)
	if err != nil {
		t.Fatal(err)
	}
	down := slices.Repeat([]hetznertest.Fault{{
		Method: http.MethodGet, Path: "/servers", Status: http.StatusServiceUnavailable, Code: "maintenance",
	}}, 3)
	f.project.Fail(down...)
	w := f.machineWorker(f.host, f.acts())
	if again, err := w.Work(t.Context(), a.ID); err != nil || again == 0 {
		t.Fatalf("the first try: %s, %v", again, err)
	}
	w.Now = func() time.Time { return time.Now().Add(24 * time.Hour) }
	if again, err := w.Work(t.Context(), a.ID); err != nil || again != 0 {
		t.Fatalf("long after: %s, %v", again, err)
	}
	if got, err := f.machines.Store.Get(t.Context(), a.ID); err != nil || got.State != machine.Unknown || got.Said == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// nobodyLinked is a hub to which no server is linked.
type nobodyLinked struct{}

func (nobodyLinked) Linked(context.Context, string) bool { return false }

// TestMachine_struck: who switches a machine off whose server answered does not get in without the owner's window by that.
func TestMachine_struck(t *testing.T) {
	t.Parallel()
	f := newFleet(t, dbtest.New(t))
	f.machines.Links = nobodyLinked{}
	heard := func(ago string) {
		t.Helper()
		_, err := f.db.Pool.Exec(t.Context(), "UPDATE servers SET beat = '{}', beat_at = now() - $2::interval WHERE id = $1", f.srv.ID, ago)
		if err != nil {
			t.Fatal(err)
		}
	}
	rescue := machine.Want{Verb: machine.RescueOn, Key: "ssh-ed25519 " + strings.Repeat("A", 68)}
	heard("1 minute")
	f.start(t, t.TempDir())
	f.do(t, machine.Want{Verb: machine.Off})
	if _, err := f.machines.Do(t.Context(), f.srv.ID, rescue, ourOwner); !errors.Is(err, machine.ErrWindow) {
		t.Errorf("a minute after it was heard of: %v", err)
	}
	late := *f.machines
	late.Now = func() time.Time { return time.Now().Add(24 * time.Hour) }
	if _, err := late.Do(t.Context(), f.srv.ID, rescue, ourOwner); !errors.Is(err, machine.ErrStruck) {
		t.Errorf("a day after it was switched off: %v", err)
	}
	f.let(t)
	if _, err := late.Do(t.Context(), f.srv.ID, rescue, ourOwner); errors.Is(err, machine.ErrStruck) {
		t.Errorf("with the owner's window: %v", err)
	}
}

// TestMachine_cut: who cuts a server off that answered does not get onto its disk by that; one that was silent for long before is entered.
func TestMachine_cut(t *testing.T) {
	t.Parallel()
	for ago, want := range map[string]error{"1 minute": machine.ErrCut, "1 hour": nil} {
		f := newFleet(t, dbtest.New(t))
		f.machines.Links = nobodyLinked{}
		_, err := f.db.Pool.Exec(t.Context(), `UPDATE servers SET beat = '{}', beat_at = now() - $2::interval, state = 'revoked',
			revoked_at = now() WHERE id = $1`, f.srv.ID, ago)
		if err != nil {
			t.Fatal(err)
		}
		later := *f.machines
		later.Now = func() time.Time { return time.Now().Add(time.Hour) }
		_, err = later.Do(t.Context(), f.srv.ID, machine.Want{Verb: machine.RescueOn, Key: someKey}, ourOwner)
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("heard of %s before it was cut off: %v", ago, err)
		}
	}
}
