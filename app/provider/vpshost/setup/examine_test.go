package setup_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost/setup"
)

// listener is an SSH server that notes each script and runs none: it answers by the step whose script it was.
type listener struct {
	mu      sync.Mutex
	scripts []string
	done    map[string]bool // by step: its check is content
	hangs   string          // the step whose work never ends

	config *ssh.ServerConfig // how it lets in; nil: anybody
}

func signer(t *testing.T) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	key, err := ssh.NewSignerFromKey(private)
	must(t, err)
	return key
}

// serve answers until the test ends, and gives the port.
func (l *listener) serve(t *testing.T) int {
	t.Helper()
	config := l.config
	if config == nil {
		config = &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
			return &ssh.Permissions{}, nil
		}}
	}
	config.AddHostKey(signer(t))
	door, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var conns sync.WaitGroup
	t.Cleanup(func() {
		_ = door.Close()
		conns.Wait()
	})
	conns.Go(func() {
		for {
			raw, err := door.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { l.answer(raw, config) })
		}
	})
	return door.Addr().(*net.TCPAddr).Port
}

func (l *listener) answer(raw net.Conn, config *ssh.ServerConfig) {
	_, channels, requests, err := ssh.NewServerConn(raw, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for c := range channels {
		channel, asked, err := c.Accept()
		if err != nil {
			return
		}
		for r := range asked {
			_ = r.Reply(r.Type == "exec", nil)
			if r.Type != "exec" {
				continue
			}
			script, _ := io.ReadAll(channel)
			if l.waits(string(script)) {
				continue // until who asked has closed it
			}
			_, _ = channel.SendRequest("exit-status", false, binary.BigEndian.AppendUint32(nil, l.status(string(script))))
			_ = channel.Close()
		}
	}
}

// waits says whether a script is the work that never ends.
func (l *listener) waits(script string) bool {
	for _, s := range setup.Steps() {
		if s.Name == l.hangs && strings.Contains(script, s.Script()) && strings.HasSuffix(script, "\ndo_it </dev/null\n") {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.scripts = append(l.scripts, script)
			return true
		}
	}
	return false
}

func (l *listener) status(script string) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scripts = append(l.scripts, script)
	for _, s := range setup.Steps() {
		if strings.Contains(script, s.Script()) && l.done[s.Name] {
			return 0
		}
	}
	return 1
}

// TestExamine: each step's check is asked once and nothing else runs; what is done is told apart from what is not, and a machine that
// is not known gets no secret.
func TestExamine(t *testing.T) {
	t.Parallel()
	l := &listener{done: map[string]bool{"packages": true, "nginx": true}}
	tool := filepath.Join(t.TempDir(), "agentd")
	must(t, os.WriteFile(tool, []byte("a program"), 0o700))
	r := &setup.Runner{Key: signer(t), Agentd: tool} // without a record: nothing is to be noted
	const secret = "sk-not-for-strangers-1234567890"
	plan := setup.Plan{Hub: "https://hub.example", ModelKey: secret, Token: "t0ken-of-the-test", Seed: "seed-of-the-test"}
	at := target.Machine{Address: "127.0.0.1", Ports: []int{l.serve(t)}, Login: "root"}
	met, all, err := r.Examine(t.Context(), at, plan)
	must(t, err)
	if len(all) != len(setup.Steps()) || met.HostKey == "" {
		t.Fatalf("%d steps, %+v", len(all), met)
	}
	for _, f := range all {
		if f.Done != l.done[f.Step.Name] || f.Text != "" {
			t.Errorf("%s: done %t, %s", f.Step.Name, f.Done, f.Text)
		}
	}
	if len(l.scripts) != len(all) {
		t.Errorf("%d scripts for %d steps", len(l.scripts), len(all))
	}
	for _, s := range l.scripts {
		if !strings.HasSuffix(s, "\ncheck </dev/null\n") {
			t.Errorf("more than a check runs: …%s", s[max(0, len(s)-80):])
		}
		if strings.Contains(s, secret) || strings.Contains(s, plan.Token) || strings.Contains(s, plan.Seed) {
			t.Error("a secret reaches a machine that nobody knows")
		}
	}
	met.HostKey = target.KeyText(signer(t).PublicKey())
	if _, _, err := r.Examine(t.Context(), met, plan); err == nil {
		t.Error("another machine than before was examined")
	}
}
