package vault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/store"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

// What a process of its own does until it is killed.
const victimEnv = "VAULT_TEST_VICTIM"

func TestMain(m *testing.M) {
	if job := os.Getenv(victimEnv); job != "" {
		what, dir, _ := strings.Cut(job, ":")
		if err := victim(what, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// acts are what a victim may do: one turn of it, with what stands behind the act's name and the number of the turn.
var acts = map[string]func(ctx context.Context, v *vault.Vault, with string, i int) error{
	"rekey":  func(ctx context.Context, v *vault.Vault, _ string, _ int) error { return v.Rekey(ctx, nil, "test") },
	"rotate": rotateOnce,
	"follow": followOnce,
	"take":   func(ctx context.Context, v *vault.Vault, _ string, _ int) error { _, err := v.Seed(ctx); return err },
	"seed": func(ctx context.Context, v *vault.Vault, dir string, i int) error {
		line := fmt.Sprintf("T_%d=%s\n", i, canary(fmt.Sprint("seed", i)))
		if err := os.WriteFile(filepath.Join(dir, vault.SeedFile), []byte(line), 0o600); err != nil {
			return err
		}
		_, err := v.Seed(ctx)
		return err
	},
}

// victim does what its job says in a state directory, over and over, or once: "once act=with".
func victim(job, dir string) error {
	ctx := context.Background()
	what, once := strings.CutPrefix(job, "once ")
	act, with, _ := strings.Cut(what, "=")
	db, err := store.Open(dir, time.Now)
	if err != nil {
		return err
	}
	v, err := vault.Open(ctx, db, vault.Keys{Dir: dir}, time.Now)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	if act == "seed" {
		with = dir
	}
	v.UseFetched(time.Hour)
	fmt.Println("ready")
	for i := 0; ; i++ {
		if err := acts[act](ctx, v, with, i); err != nil || once {
			return errors.Join(err, db.Close())
		}
		fmt.Print(".") // whoever kills counts
	}
}

// followed is how many secrets come from the external vault of a victim.
const followed = 5

// followOnce sees a new version of each of them.
func followOnce(ctx context.Context, v *vault.Vault, _ string, _ int) error {
	all, err := v.Followed(ctx)
	if err != nil {
		return err
	}
	var seen []vault.Sighting
	for _, k := range all {
		seen = append(seen, sighting(k.Name, k.Version+1, canary(fmt.Sprint(k.Name, k.Version+1)), ""))
	}
	return v.Follow(ctx, time.Now(), seen)
}

// kill lets a victim work in dir: every second one until it has done something, and each a little longer. The i-th kill of
// a test falls at another moment than the others.
func kill(t *testing.T, what, dir string, i int) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), victimEnv+"="+what+":"+dir)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready\n")+i%2)); err != nil {
		t.Fatalf("the victim did not get far: %v %s", err, said.String())
	}
	<-time.After(time.Duration(i) * 700 * time.Microsecond)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if said.Len() > 0 {
		t.Fatal(said.String())
	}
}

// TestRekey_killed: whenever the process dies, the vault opens, with every value as it was.
func TestRekey_killed(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range 20 {
		w.put(fmt.Sprintf("tool%d.key", i), canary(fmt.Sprint(i)))
	}
	sealed := w.blob("SELECT group_concat(hex(sealed)) FROM (SELECT sealed FROM vault_versions ORDER BY secret_id)")
	ids := map[string]bool{}
	for i := range 24 {
		w.stop()
		kill(t, "rekey", w.dir, i)
		if err := w.start(); err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		known, err := w.Known(t.Context())
		if err != nil || len(known) != 20 || !has(known, canary("7")) {
			t.Fatalf("kill %d: %d known, %v", i, len(known), err)
		}
		id, _, err := w.KeyID(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ids[id] = true
	}
	if string(sealed) != string(w.blob("SELECT group_concat(hex(sealed)) FROM (SELECT sealed FROM vault_versions ORDER BY secret_id)")) {
		t.Error("a value was touched")
	}
	if len(ids) < 8 {
		t.Errorf("%d keys in 24 lives: the key hardly changed", len(ids))
	}
}

// TestSeed_killed: the values arrive, and in the end no file is left.
func TestSeed_killed(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range 20 {
		w.stop()
		kill(t, "seed", w.dir, i)
		if err := w.start(); err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		if _, err := w.Seed(t.Context()); err != nil { // an empty or half-written file is the writer's fault, not ours
			if raw, _ := os.ReadFile(filepath.Join(w.dir, vault.SeedFile)); strings.HasSuffix(string(raw), "end\n") {
				t.Fatalf("kill %d: %v", i, err)
			}
			if err := os.Remove(filepath.Join(w.dir, vault.SeedFile)); err != nil {
				t.Fatal(err)
			}
		}
		if left := w.left(); len(left) > 0 {
			t.Fatalf("kill %d: %v is left", i, left)
		}
	}
	known, err := w.Known(t.Context())
	if err != nil || !has(known, canary("seed0")) {
		t.Errorf("%d known, %v", len(known), err)
	}
}

// TestOther_process: what one process changes, the other notices before it gives out a value, key changes included.
func TestOther_process(t *testing.T) {
	t.Parallel()
	w := open(t)
	other := w.beside()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx, func(err error) { t.Error(err) }) }()
	for i := range 5 {
		name := fmt.Sprintf("a.b%d", i)
		if _, err := other.Put(t.Context(), vault.New{Name: name, Value: secret.New(canary(name)), By: "operator"}); err != nil {
			t.Fatal(err)
		}
		w.put(fmt.Sprintf("c.d%d", i), canary(fmt.Sprint("mine", i)))
		if err := other.Rekey(t.Context(), nil, "operator"); err != nil {
			t.Fatal(err)
		}
		if err := w.Rekey(t.Context(), nil, "agentd"); err != nil {
			t.Fatal(err)
		}
		if known, err := w.Known(t.Context()); err != nil || !has(known, canary(name)) || len(known) != 2*i+2 {
			t.Fatalf("%d known, %v", len(known), err)
		}
	}
	if _, err := other.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := other.Noticed(t.Context()); err != nil {
		t.Error(err)
	}
	if !store.Running(w.dir) {
		t.Error("nobody seems to run")
	}
	stop()
	<-ended
}
