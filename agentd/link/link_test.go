package link

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

func TestBackoff_fullJitter(t *testing.T) {
	t.Parallel()
	b := backoff{min: 500 * time.Millisecond, max: 30 * time.Second}
	limit := 500 * time.Millisecond
	var longest time.Duration
	for range 200 {
		d := b.next()
		if d <= 0 || d > limit {
			t.Fatalf("waits %v, limit %v", d, limit)
		}
		limit = min(2*limit, 30*time.Second)
		longest = max(longest, d)
	}
	if longest < 15*time.Second {
		t.Fatalf("200 waits, none above %v: not spread up to the limit", longest)
	}
	b.reset()
	if d := b.next(); d > 500*time.Millisecond {
		t.Fatalf("after a good connection the first wait is %v", d)
	}
}

func TestSameOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"http://localhost:8080", "http://127.0.0.1:8080", true},
		{"http://localhost:8080", "http://[::1]:8080/", true},
		{"http://localhost:8080", "http://localhost:8081", false},
		{"https://hub.example", "https://hub.example/", true},
		{"https://hub.example", "http://hub.example", false},
		{"https://hub.example", "https://evil.example", false},
		{"https://hub.example", "", false},
		{"http://localhost.evil.example:8080", "http://127.0.0.1:8080", false},
		{"://", "http://localhost", false},
	} {
		if got := sameOrigin(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

func TestIdentity_damaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := LoadIdentity(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("none: %v", err)
	}
	for _, text := range []string{"", "{", `{"key":"AAAA"}`, `{"key":"!"}`} {
		if err := os.WriteFile(filepath.Join(dir, identityFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loadOrMake(dir); err == nil {
			t.Errorf("%q was read, or silently replaced", text)
		}
	}
}

func openStore(t *testing.T) (*store.DB, *Outbox) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	storetest.Seed(t, dir)
	db, err := store.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db, NewOutbox(db, time.Now)
}

func put(db *store.DB, o *Outbox, t wire.Type, body any, then error) error {
	return db.Write(context.Background(), func(tx *sql.Tx) error {
		return errors.Join(o.Put(context.Background(), tx, t, body), then)
	})
}

func TestOutbox_onlyWithItsTransaction(t *testing.T) {
	t.Parallel()
	db, o := openStore(t)
	undone := errors.New("the change failed")
	if err := put(db, o, wire.TypeAlert, "lost", undone); !errors.Is(err, undone) {
		t.Fatal(err)
	}
	select {
	case <-o.wake:
		t.Fatal("the link was woken for a frame that does not exist")
	default:
	}
	if err := put(db, o, wire.TypeAlert, "kept", nil); err != nil {
		t.Fatal(err)
	}
	frames, err := o.after(t.Context(), 0, 10)
	if err != nil || len(frames) != 1 || frames[0].Seq != 1 || string(frames[0].Body) != `"kept"` {
		t.Fatalf("the outbox holds %+v, %v", frames, err)
	}
	select {
	case <-o.wake:
	default:
		t.Fatal("the link was not woken")
	}
}

func TestOutbox_refuses(t *testing.T) {
	t.Parallel()
	db, o := openStore(t)
	if put(db, o, wire.TypeHeartbeat, "x", nil) == nil {
		t.Error("a type that may be lost was kept")
	}
	if err := put(db, o, wire.TypeAlert, strings.Repeat("x", wire.MaxBody), nil); !errors.Is(err, wire.ErrTooLarge) {
		t.Errorf("a frame that can never be sent: %v", err)
	}
	if put(db, o, wire.TypeAlert, func() {}, nil) == nil {
		t.Error("a body that is no JSON was kept")
	}
	var grows strings.Builder // what stands in place of the passwords is longer than they are
	for i := range 1000 {
		fmt.Fprintf(&grows, "password=a%dz9 ", 1000+i)
	}
	if err := put(db, o, wire.TypeAlert, grows.String()+strings.Repeat("x", maxKept-grows.Len()-2), nil); !errors.Is(err, wire.ErrTooLarge) {
		t.Errorf("a frame that can never be sent once it is clean: %v", err)
	}
}

// TestOutbox_knownSince: what became a secret while a frame waited does not leave with it, though the frame was clean when
// it was put. It runs alone: the engine is the process's.
func TestOutbox_knownSince(t *testing.T) {
	before := redact.Current()
	t.Cleanup(func() { redact.Use(before) })
	redact.Use(redact.New())
	db, o := openStore(t)
	value := "quiet-" + strings.ToLower(rand.Text())[:12]
	if err := put(db, o, wire.TypeAlert, map[string]string{"text": "The door opens to " + value}, nil); err != nil {
		t.Fatal(err)
	}
	waiting := func() string {
		t.Helper()
		frames, err := o.after(t.Context(), 0, 10)
		if err != nil || len(frames) != 1 {
			t.Fatalf("%d frames, %v", len(frames), err)
		}
		return string(frames[0].Body)
	}
	if got := waiting(); !strings.Contains(got, value) {
		t.Fatalf("%s was taken for a secret before it was one", got)
	}
	redact.Current().SetSecrets([]redact.Known{{Name: "door.code", Value: value}})
	if got := waiting(); got != `{"text":"The door opens to [SECRET:door.code]"}` {
		t.Errorf("sent: %s", got)
	}
}

func TestOutbox_resume(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forget, applied int64
		first, next     int64
	}{
		"the hub has nothing":                     {0, 0, 1, 6},
		"all before was forgotten":                {3, 3, 4, 6},
		"the hub has more than we were told":      {2, 4, 5, 8},
		"the hub was set back":                    {3, 0, 1, 3},
		"we were set back":                        {0, 90, 91, 96},
		"we were set back, and all was delivered": {5, 90, 0, 91},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, o := openStore(t)
			for range 5 {
				if err := put(db, o, wire.TypeAlert, "x", nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(o.drop(t.Context(), c.forget), o.resume(t.Context(), c.applied), put(db, o, wire.TypeAlert, "new", nil)); err != nil {
				t.Fatal(err)
			}
			frames, err := o.after(t.Context(), -1, 10)
			if err != nil || int64(len(frames)) != 6-c.forget {
				t.Fatalf("%d frames, %v", len(frames), err)
			}
			last := frames[len(frames)-1]
			if c.first != 0 && frames[0].Seq != c.first || last.Seq != c.next || string(last.Body) != `"new"` {
				t.Fatalf("numbers %d to %d, want %d to %d", frames[0].Seq, last.Seq, c.first, c.next)
			}
			for i, f := range frames {
				if f.Seq != frames[0].Seq+int64(i) {
					t.Fatalf("a hole before %d", f.Seq)
				}
			}
		})
	}
}
