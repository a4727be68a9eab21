package target_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"gatehouse/agentd/seeded"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/target/targettest"
)

func newKey(t *testing.T) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	key, err := ssh.NewSignerFromKey(private)
	must(t, err)
	return key
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestMachine: scripts run as root with their variables, files arrive whole, and whatever is not the machine that was met first,
// or does not want the hub's key, is told apart.
func TestMachine(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	box := targettest.Boot(t)
	at := target.Machine{Address: box.Address, Ports: []int{22022, 22}, Login: "root"}
	c, err := target.Dial(t.Context(), at, box.Key)
	must(t, err)
	defer func() { must(t, c.Close()) }()
	if c.Port != 22 || !strings.HasPrefix(c.Key, "ssh-ed25519 ") {
		t.Errorf("port %d, host key %q", c.Port, c.Key)
	}
	at.HostKey = c.Key
	t.Run("script", func(t *testing.T) { runScript(t, c) })
	t.Run("upload", func(t *testing.T) { upload(t, box, c) })
	t.Run("refusals", func(t *testing.T) { refusals(t, box, at) })
}

func runScript(t *testing.T, c *target.Conn) {
	out, err := c.Output(t.Context(), "id -un\necho \"$what\"\nprintf 'a\\rb\\n\\n'\necho 'to stderr' >&2\n",
		map[string]string{"what": `it's "quoted" $HOME`})
	must(t, err)
	for _, want := range []string{"root", `it's "quoted" $HOME`, "b", "to stderr"} {
		if !slices.Contains(out, want) {
			t.Errorf("%q lacks %q", out, want)
		}
	}
	_, err = c.Output(t.Context(), "echo why; exit 3", nil)
	var exit *target.ExitError
	if !errors.As(err, &exit) || exit.Status != 3 || exit.Last != "why" {
		t.Errorf("a script that fails: %v", err)
	}
}

func upload(t *testing.T, box *targettest.Machine, c *target.Conn) {
	from := filepath.Join(t.TempDir(), "tool")
	for _, contents := range []string{"first", "first", "second"} {
		must(t, os.WriteFile(from, []byte(contents), 0o600))
		must(t, c.Upload(t.Context(), from, "/usr/local/lib/deep/tool", "0755"))
		got := box.Do("cat /usr/local/lib/deep/tool; stat -c ' %a %U' /usr/local/lib/deep/tool; ls -A /root /usr/local/lib/deep")
		if !strings.HasPrefix(got, contents+" 755 root") || strings.Contains(got, "upload") || strings.Contains(got, ".part") {
			t.Errorf("after %q: %s", contents, got)
		}
	}
}

func refusals(t *testing.T, box *targettest.Machine, at target.Machine) {
	_, err := target.Dial(t.Context(), at, newKey(t))
	if !errors.Is(err, target.ErrKeyRefused) {
		t.Errorf("with a key that it does not know: %v", err)
	}
	other := at
	other.HostKey = target.KeyText(newKey(t).PublicKey())
	if _, err = target.Dial(t.Context(), other, box.Key); !errors.Is(err, target.ErrHostKey) {
		t.Errorf("another machine than before: %v", err)
	}
	silent := at
	silent.Ports = []int{1}
	if _, err = target.Dial(t.Context(), silent, box.Key); !errors.Is(err, target.ErrUnreachable) {
		t.Errorf("a port where nobody listens: %v", err)
	}
	c, err := target.Dial(t.Context(), at, box.Key)
	must(t, err)
	box.Do(`for p in /proc/[0-9]*; do [ "$(cat "$p/comm" 2>/dev/null)" != sshd ] || kill -KILL "${p#/proc/}"; done`)
	if err := c.Run(t.Context(), "true", nil, func(string) {}); !errors.Is(err, target.ErrUnreachable) {
		t.Errorf("a connection that broke: %v", err)
	}
}
