package order

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// authorized is a public key as people paste it.
func authorized(t *testing.T, pub any) string {
	t.Helper()
	key, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// TestReadAdminKey: one public key is taken, without its comment; what could let more people in, or another way, is not.
func TestReadAdminKey(t *testing.T) {
	t.Parallel()
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	short, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // what is refused
	must(t, err)
	one := authorized(t, pub)
	signer, err := ssh.NewSignerFromKey(private)
	must(t, err)
	cert := &ssh.Certificate{Key: signer.PublicKey(), CertType: ssh.UserCert, ValidBefore: ssh.CertTimeInfinity}
	must(t, cert.SignCert(rand.Reader, signer))
	for typed, want := range map[string]string{
		"": "", "  ": "", one: one, "  " + one + " me@laptop \n": one,
		authorized(t, &curve.PublicKey): authorized(t, &curve.PublicKey), authorized(t, &long.PublicKey): authorized(t, &long.PublicKey),
	} {
		if got, problem := readAdminKey(typed); got != want || problem != "" {
			t.Errorf("%q: %q, %q", typed, got, problem)
		}
	}
	for typed, says := range map[string]string{
		"hello": "no public SSH key", "ssh-ed25519 AAAA": "no public SSH key", one + "\n" + one: "one line", "# " + one: "one line",
		"garbage\n" + one: "one line", `command="id" ` + one: "without options", "restrict " + one: "without options",
		authorized(t, &short.PublicKey): "too short", strings.TrimSpace(string(ssh.MarshalAuthorizedKey(cert))): "no public SSH key",
		"-----BEGIN OPENSSH PRIVATE KEY----- b3Bl": "private key", "PuTTY-User-Key-File-3: ssh-ed25519": "private key",
		"ssh-ed25519 " + strings.Repeat("A", 5000): "one line",
	} {
		if got, problem := readAdminKey(typed); got != "" || !strings.Contains(problem, says) {
			t.Errorf("%.40q: %q, %q, want %q", typed, got, problem, says)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
