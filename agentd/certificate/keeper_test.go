package certificate

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/certificate/acmetest"
)

const name = "team.bakery.example"

// bed is a machine whose web server hands out the folder of challenges, and an authority that can see it.
type bed struct {
	*acmetest.Authority
	keeper Keeper
	now    time.Time
}

func newBed(t *testing.T) *bed {
	t.Helper()
	root := t.TempDir()
	proofs := filepath.Join(root, ".well-known", "acme-challenge")
	must(t, os.MkdirAll(proofs, 0o755))
	web := httptest.NewServer(http.FileServer(http.Dir(root)))
	t.Cleanup(web.Close)
	b := &bed{
		Authority: acmetest.New(t, acmetest.Options{Port: web.Listener.Addr().(*net.TCPAddr).Port}),
		now:       time.Now(),
	}
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(b.Trust)
	b.keeper = Keeper{
		Name: name, Authority: b.Directory, Dir: t.TempDir(), Challenge: proofs, Roots: trust, Now: func() time.Time { return b.now },
	}
	return b
}

// pair reads what stands there now.
func (b *bed) pair(t *testing.T) tls.Certificate {
	t.Helper()
	path := filepath.Join(b.keeper.Dir, File)
	pair, err := tls.LoadX509KeyPair(path, path)
	must(t, err)
	return pair
}

// TestKeep: a certificate is got once, renewed when a third of its life is left, with a key of its own each time and one account; nothing
// of the proof stays; nobody else can read the key.
func TestKeep(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Lead(name, netip.MustParseAddr("127.0.0.1"))
	keeps := func(want bool) tls.Certificate {
		t.Helper()
		changed, err := b.keeper.Keep(t.Context())
		must(t, err)
		if changed != want {
			t.Errorf("another certificate: %t", changed)
		}
		return b.pair(t)
	}
	first := keeps(true)
	if err := first.Leaf.VerifyHostname(name); err != nil || len(first.Certificate) < 2 {
		t.Errorf("%v, a chain of %d", err, len(first.Certificate))
	}
	who, err := os.ReadFile(filepath.Join(b.keeper.Dir, account))
	must(t, err)
	if again := keeps(false); !again.Leaf.Equal(first.Leaf) {
		t.Error("it was got twice")
	}
	life := first.Leaf.NotAfter.Sub(first.Leaf.NotBefore)
	b.now = first.Leaf.NotAfter.Add(-life/3 - time.Minute)
	keeps(false)
	b.now = first.Leaf.NotAfter.Add(-life/3 + time.Minute)
	b.keeper.Now = func() time.Time { // the authority's clock did not move
		now := b.now
		b.now = time.Now()
		return now
	}
	second := keeps(true)
	if second.Leaf.PublicKey.(*ecdsa.PublicKey).Equal(first.Leaf.PublicKey) {
		t.Error("the key of before")
	}
	b.keeper.Name = "other.bakery.example"
	b.Lead(b.keeper.Name, netip.MustParseAddr("127.0.0.1"))
	if other := keeps(true); other.Leaf.VerifyHostname(b.keeper.Name) != nil {
		t.Error("another name, and the certificate of before")
	}
	if now, err := os.ReadFile(filepath.Join(b.keeper.Dir, account)); err != nil || string(now) != string(who) {
		t.Errorf("another account: %v", err)
	}
	if left, err := os.ReadDir(b.keeper.Challenge); err != nil || len(left) != 0 {
		t.Errorf("of the proof there are left %v, %v", left, err)
	}
	for _, f := range []string{File, account} {
		if at, err := os.Stat(filepath.Join(b.keeper.Dir, f)); err != nil || at.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, at.Mode(), err)
		}
	}
}

// TestKeep_refused: what the authority says is said on, and what there was stays.
func TestKeep_refused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	fails := func(says ...string) {
		t.Helper()
		changed, err := b.keeper.Keep(t.Context())
		if err == nil || changed {
			t.Fatalf("it went well: %t", changed)
		}
		for _, s := range says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("it says %q, not %q", err, s)
			}
		}
		if strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("several lines: %q", err)
		}
	}
	fails("certificate of "+name, "could not see that the name leads here", "port 80")
	b.Lead(name, netip.MustParseAddr("127.0.0.1"))
	good := b.keeper.Challenge
	b.keeper.Challenge = t.TempDir() // nobody hands that out
	fails("could not see that the name leads here", "404")
	b.keeper.Challenge = good
	if _, err := b.keeper.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := b.pair(t)
	b.Refuse(t, "blocked.example")
	b.keeper.Name = "blocked.example"
	fails("the authority refuses", "blocked.example")
	if now := b.pair(t); !now.Leaf.Equal(kept.Leaf) {
		t.Error("what there was is gone")
	}
	path := filepath.Join(b.keeper.Dir, account)
	must(t, os.WriteFile(path, []byte("no key"), 0o600))
	fails("holds no key", path)
	must(t, os.Remove(path))
	b.keeper.Roots = x509.NewCertPool()
	fails("certificate signed by unknown authority")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
