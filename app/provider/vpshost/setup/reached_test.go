package setup_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/order"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/setup"
)

// sets is what sets up a machine that never lets anything run.
func sets(t *testing.T, record setup.Record) *setup.Runner {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "agentd")
	must(t, os.WriteFile(tool, []byte("a program"), 0o700))
	return &setup.Runner{Key: signer(t), Agentd: tool, Record: record}
}

// nobody listens at this port.
func nobody(t *testing.T) int {
	t.Helper()
	door, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, door.Close())
	return door.Addr().(*net.TCPAddr).Port
}

// TestRun_notReached: a machine that is not reached runs nothing, and the order says in words what is wrong and what to do: at once where
// only a person can mend it, after the last try where waiting may. No password is ever tried.
func TestRun_notReached(t *testing.T) {
	t.Parallel()
	var passwords atomic.Int32
	shut := errors.New("no")
	open, typed := &listener{}, &listener{config: &ssh.ServerConfig{
		PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, shut },
		PasswordCallback: func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
			passwords.Add(1)
			return &ssh.Permissions{}, nil
		},
		KeyboardInteractiveCallback: func(ssh.ConnMetadata, ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			passwords.Add(1)
			return &ssh.Permissions{}, nil
		},
	}}
	for what, c := range map[string]struct {
		port    int
		hostKey string
		final   bool
		says    []string
	}{
		"SSH refused": {nobody(t), "", false, []string{"did not answer over SSH", "firewall", "try again"}},
		"another host key": {
			open.serve(t), target.KeyText(signer(t).PublicKey()), true, []string{"another host key", "page of machines takes another key"},
		},
		"passwords only": {typed.serve(t), "", true, []string{"does not accept the hub's SSH key", "authorized_keys", "try again"}},
	} {
		book := &ledger{}
		at := target.Machine{Address: "127.0.0.1", Ports: []int{c.port}, Login: "root", HostKey: c.hostKey}
		_, err := sets(t, book).Run(t.Context(), at, setup.Plan{ServerID: "s1"}, setup.Steps(), func(...string) {})
		var refused *vpshost.RefusedError
		if err == nil || errors.As(err, &refused) != c.final {
			t.Errorf("%s: final %t, want %t: %v", what, !c.final, c.final, err)
			continue
		}
		reason := order.Reason(err)
		if refused != nil {
			reason = refused.Reason
		}
		for _, word := range c.says {
			if !strings.Contains(reason, word) {
				t.Errorf("%s: nothing of %q in %q", what, word, reason)
			}
		}
		if len(book.ended) > 0 || len(open.scripts)+len(typed.scripts) > 0 {
			t.Errorf("%s: something ran: %q", what, book.ended)
		}
	}
	if n := passwords.Load(); n > 0 {
		t.Errorf("%d passwords were tried", n)
	}
}

// TestRun_hangs: a step that never ends is cut off after its span. What stands at it and at the order says so in words for people.
func TestRun_hangs(t *testing.T) {
	t.Parallel()
	l := &listener{done: map[string]bool{"packages": true}, hangs: "docker"}
	book := &ledger{}
	r := sets(t, book)
	r.Rules.Step = func() time.Duration { return 300 * time.Millisecond }
	at := target.Machine{Address: "127.0.0.1", Ports: []int{l.serve(t)}, Login: "root"}
	_, err := r.Run(t.Context(), at, setup.Plan{ServerID: "s1"}, setup.Steps(), func(...string) {})
	var refused *vpshost.RefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("it ended with %v", err)
	}
	const says = `The step "docker" did not end within 300ms, so it was cut off.`
	if !strings.HasPrefix(refused.Reason, says) || !strings.Contains(refused.Reason, "try again") {
		t.Errorf("the order says %q", refused.Reason)
	}
	if len(book.ended) != 2 || book.ended[0] != "packages kept" || !strings.HasPrefix(book.ended[1], "docker failed "+says) {
		t.Errorf("the steps: %q", book.ended)
	}
}

// lost is a record whose worker is overtaken after some beats.
type lost struct {
	*ledger
	beats atomic.Int32
	after int32
}

func (l *lost) Beat(context.Context, string, int) error {
	if l.beats.Add(1) > l.after {
		return setup.ErrOvertaken
	}
	return nil
}

// TestRun_overtaken: while a step runs its worker says again and again that it works, and stops in the middle of it once another has
// taken over. It writes nothing then.
func TestRun_overtaken(t *testing.T) {
	t.Parallel()
	l := &listener{hangs: "packages"}
	book := &lost{ledger: &ledger{}, after: 3}
	r := sets(t, book)
	r.Beat = 20 * time.Millisecond
	at := target.Machine{Address: "127.0.0.1", Ports: []int{l.serve(t)}, Login: "root"}
	_, err := r.Run(t.Context(), at, setup.Plan{ServerID: "s1"}, setup.Steps(), func(...string) {})
	if !errors.Is(err, setup.ErrOvertaken) || book.beats.Load() != book.after+1 {
		t.Errorf("it ended after %d beats with %v", book.beats.Load(), err)
	}
	if len(book.ended) > 0 {
		t.Errorf("it wrote %q", book.ended)
	}
}
