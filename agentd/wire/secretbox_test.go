package wire

import (
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update-vectors", false, "write testdata/secretbox.json anew")

// vector is one box with everything that went into it, for the other implementation.
type vector struct {
	RecipientPrivate string `json:"recipient_private_d"` // scalar, base64url
	RecipientPublic  string `json:"recipient_public"`
	SenderPrivate    string `json:"sender_private_d"`
	Method           Method `json:"method"`
	ServerID         string `json:"server_id"`
	Name             string `json:"name"`
	Nonce            string `json:"nonce"`
	AdditionalData   string `json:"additional_data"`
	Value            string `json:"value"`
	Box              string `json:"box"`
}

// scalar is a private key for tests, made from a word.
func scalar(t testing.TB, word string) *ecdh.PrivateKey {
	t.Helper()
	sum := sha256.Sum256([]byte(word))
	k, err := ecdh.P256().NewPrivateKey(sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func vectors(t testing.TB) []vector {
	t.Helper()
	var all []vector
	for i, value := range []string{"", "correct horse battery staple", "käse\n\"€\x00", strings.Repeat("x", 63), strings.Repeat("y", 64), strings.Repeat("z", 5000)} {
		to, own := scalar(t, "recipient"+value), scalar(t, "sender"+value)
		nonce := sha256.Sum256([]byte{byte(i)})
		p := SecretPurpose{Method: MethodSecretsProvide, ServerID: "01900000-0000-7000-8000-000000000001", Name: "ghost.admin_key", Nonce: b64(nonce[:16])}
		box, err := sealSecret(own, to.PublicKey(), p, []byte(value))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, vector{b64(to.Bytes()), b64(to.PublicKey().Bytes()), b64(own.Bytes()), p.Method, p.ServerID, p.Name, p.Nonce, p.Text(), value, string(box)})
	}
	return all
}

// TestSecretBox_vectors: what the other end was built against does not change.
func TestSecretBox_vectors(t *testing.T) {
	t.Parallel()
	got, err := json.MarshalIndent(vectors(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile("testdata/secretbox.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/secretbox.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("boxes differ from testdata/secretbox.json")
	}
}

func TestSecretBox_roundTrip(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		raw, err := base64.RawURLEncoding.DecodeString(v.RecipientPrivate)
		if err != nil {
			t.Fatal(err)
		}
		k, err := ecdh.P256().NewPrivateKey(raw)
		if err != nil {
			t.Fatal(err)
		}
		p := SecretPurpose{Method: v.Method, ServerID: v.ServerID, Name: v.Name, Nonce: v.Nonce}
		if got, err := OpenSecret(k, p, SecretBox(v.Box)); err != nil || string(got) != v.Value {
			t.Errorf("%q opens as %q, %v", v.Value, got, err)
		}
	}
}

// TestSecretBox_changed: any other key, purpose or bit, and the box stays shut.
func TestSecretBox_changed(t *testing.T) {
	t.Parallel()
	own, pub, err := NewSecretKey()
	if err != nil {
		t.Fatal(err)
	}
	p := SecretPurpose{Method: MethodSecretsProvide, ServerID: "s", Name: "a.b", Nonce: "n"}
	box, err := SealSecret(pub, p, []byte("value"))
	if err != nil {
		t.Fatal(err)
	}
	shut := func(what string, k *ecdh.PrivateKey, p SecretPurpose, box SecretBox) {
		if got, err := OpenSecret(k, p, box); !errors.Is(err, ErrSealed) {
			t.Errorf("%s: opens as %q, %v", what, got, err)
		}
	}
	shut("other key", scalar(t, "other"), p, box)
	for what, change := range map[string]func(*SecretPurpose){
		"method": func(p *SecretPurpose) { p.Method = MethodSecretsRotate }, "server": func(p *SecretPurpose) { p.ServerID = "t" },
		"name": func(p *SecretPurpose) { p.Name = "a.c" }, "nonce": func(p *SecretPurpose) { p.Nonce = "m" },
	} {
		other := p
		change(&other)
		shut(what, own, other, box)
	}
	raw, err := base64.RawURLEncoding.DecodeString(string(box))
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		for bit := range 8 {
			raw[i] ^= 1 << bit
			shut("a flipped bit", own, p, SecretBox(b64(raw)))
			raw[i] ^= 1 << bit
		}
	}
	for n := range raw {
		shut("cut", own, p, SecretBox(b64(raw[:n])))
	}
	shut("padded base64", own, p, box+"=")
}

func FuzzOpenSecret(f *testing.F) {
	own := scalar(f, "fuzz")
	p := SecretPurpose{Method: MethodSecretsProvide, ServerID: "s", Name: "a.b", Nonce: "n"}
	box, err := SealSecret(b64(own.PublicKey().Bytes()), p, []byte("v"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(box))
	f.Add("")
	f.Fuzz(func(t *testing.T, in string) {
		if in == string(box) {
			return
		}
		if got, err := OpenSecret(own, p, SecretBox(in)); err == nil {
			t.Fatalf("%q opens as %q", in, got)
		}
	})
}
