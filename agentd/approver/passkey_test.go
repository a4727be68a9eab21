package approver_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // G505: what must be refused
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// authenticator is a passkey, as WebAuthn has one: it signs what it says itself and the hash of what the browser says.
type authenticator struct {
	spki string
	sign func(signed []byte) []byte // over its own words and the hash of the browser's

	party  string // the domain that it was made for
	flags  byte
	client map[string]any // what the browser says otherwise than it should
}

func newAuthenticator(t testing.TB, public crypto.PublicKey, sign func(signed []byte) ([]byte, error)) *authenticator {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return &authenticator{spki: b64(der), party: "hub.example", flags: 5, sign: func(signed []byte) []byte {
		sig, err := sign(signed)
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}}
}

// rsaKeys are made once: a large one takes seconds.
var rsaKeys = map[int]func() *rsa.PrivateKey{}

func init() {
	for _, bits := range []int{2048, 4096} {
		rsaKeys[bits] = sync.OnceValue(func() *rsa.PrivateKey {
			key, err := rsa.GenerateKey(rand.Reader, bits)
			if err != nil {
				panic(err)
			}
			return key
		})
	}
}

// rs256 is a passkey as Windows Hello makes one.
func rs256(t testing.TB, key *rsa.PrivateKey) *authenticator {
	t.Helper()
	return newAuthenticator(t, &key.PublicKey, func(signed []byte) ([]byte, error) {
		sum := sha256.Sum256(signed)
		return rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	})
}

// es256 is a passkey as most others make one.
func es256(t testing.TB) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return newAuthenticator(t, &key.PublicKey, func(signed []byte) ([]byte, error) {
		sum := sha256.Sum256(signed)
		return ecdsa.SignASN1(rand.Reader, key, sum[:])
	})
}

// asserts is an assertion over a text.
func (a *authenticator) asserts(text string, at time.Time) *wire.Signature {
	challenge := sha256.Sum256([]byte(text))
	says := map[string]any{"type": "webauthn.get", "challenge": b64(challenge[:]), "origin": origin, "crossOrigin": false}
	for name, value := range a.client {
		says[name] = value
	}
	client, _ := json.Marshal(says) // strings always have JSON
	party := sha256.Sum256([]byte(a.party))
	auth := append(party[:], a.flags, 0, 0, 0, 1)
	about := sha256.Sum256(client)
	sig := a.sign(append(append([]byte{}, auth...), about[:]...))
	return &wire.Signature{KeyID: wire.ApproverKeyIDOf(a.spki), Time: at, Sig: b64(sig), AuthData: b64(auth), ClientData: b64(client)}
}

// trusts enrols the passkey of an authenticator.
func (w *world) trusts(a *authenticator) {
	w.t.Helper()
	w.write(func(tx *sql.Tx) error {
		return w.Trust(context.Background(), tx, wire.ApproverKey{
			SPKI: a.spki, Kind: wire.PasskeyKey, Holder: wire.HolderPerson, Label: "Hello", Credential: "AA", AddedBy: "test",
			CreatedAt: w.now(),
		})
	})
}

// allows says why an assertion for a question does not count; "" when it does.
func (w *world) allows(a *authenticator, bend ...func(*wire.Signature)) string {
	w.t.Helper()
	q := w.question("red")
	d := wire.Decision{ApprovalID: q.ID, Digest: q.Digest, Verb: wire.AllowOnce}
	d.Signature = a.asserts(wire.DecisionText(q.Digest, d.Verb, 0, wire.Nothing, wire.Nothing, w.now()), w.now())
	for _, f := range bend {
		f(d.Signature)
	}
	return w.judge(q, d).Why
}

// TestPasskey: passkeys of both kinds allow, each assertion once.
func TestPasskey(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]*authenticator{
		"ES256": es256(t), "RS256": rs256(t, rsaKeys[2048]()),
		"RS256 of 4096 bits": rs256(t, rsaKeys[4096]()),
	} {
		w := open(t)
		w.trusts(a)
		if why := w.allows(a); why != "" {
			t.Errorf("%s: %s", name, why)
		}
		if why := w.allows(a); !strings.Contains(why, "used before") {
			t.Errorf("%s again: %q", name, why)
		}
	}
}

// TestPasskey_enrolled: a passkey with an RSA key is taken with a code, under the hash of its SPKI, and vouches for others.
func TestPasskey_enrolled(t *testing.T) {
	t.Parallel()
	w := open(t)
	hello := rs256(t, rsaKeys[2048]())
	e := wire.Enrolment{SPKI: hello.spki, Kind: wire.PasskeyKey, Holder: wire.HolderPerson, Label: "Hello", Credential: "AA"}
	e.Prove(w.codeKey(w.printed(nil)), serverID)
	got, err := w.Enrol(t.Context(), e)
	der, _ := base64.RawURLEncoding.DecodeString(hello.spki)
	if err != nil || got.Key.KeyID != wire.ApproverKeyID(der) {
		t.Fatalf("%+v, %v", got, err)
	}
	next := enrolment(signer(t))
	body := wire.EnrolBody{Holder: next.Holder, Kind: next.Kind, Label: next.Label, SPKI: next.SPKI}
	next.Version, next.Signature = w.version, hello.asserts(w.changeText(wire.ChangeEnrol, body), w.now())
	if got, err := w.Enrol(t.Context(), next); err != nil || got.Key.AddedBy != wire.ApproverKeyIDOf(hello.spki) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPasskey_forged: what the authenticator, the browser or somebody on the way changes about an assertion ends it.
func TestPasskey_forged(t *testing.T) {
	t.Parallel()
	key := rsaKeys[2048]()
	with := func(change func(a *authenticator)) func() *authenticator {
		return func() *authenticator { a := rs256(t, key); change(a); return a }
	}
	signs := func(sign func(signed []byte) ([]byte, error)) func() *authenticator {
		return func() *authenticator { return newAuthenticator(t, &key.PublicKey, sign) }
	}
	none := func(*wire.Signature) {}
	for name, c := range map[string]struct {
		by   func() *authenticator
		bend func(*wire.Signature)
	}{
		"PSS": {signs(func(b []byte) ([]byte, error) {
			sum := sha256.Sum256(b)
			return rsa.SignPSS(rand.Reader, key, crypto.SHA256, sum[:], nil)
		}), none},
		"SHA-1": {signs(func(b []byte) ([]byte, error) {
			sum := sha1.Sum(b) //nolint:gosec // G401: what must be refused
			return rsa.SignPKCS1v15(nil, key, crypto.SHA1, sum[:])
		}), none},
		"no hash named": {signs(func(b []byte) ([]byte, error) {
			sum := sha256.Sum256(b)
			return rsa.SignPKCS1v15(nil, key, 0, sum[:])
		}), none},
		"another key's": {signs(func(b []byte) ([]byte, error) {
			sum := sha256.Sum256(b)
			return rsa.SignPKCS1v15(nil, rsaKeys[4096](), crypto.SHA256, sum[:])
		}), none},
		"an ECDSA signature":   {signs(func(b []byte) ([]byte, error) { return es256(t).sign(b), nil }), none},
		"nobody known":         {with(func(a *authenticator) { a.flags = 1 }), none},
		"nobody there":         {with(func(a *authenticator) { a.flags = 4 }), none},
		"another domain":       {with(func(a *authenticator) { a.party = "hub.example.evil.example" }), none},
		"another origin":       {with(func(a *authenticator) { a.client = map[string]any{"origin": "https://evil.example"} }), none},
		"within another":       {with(func(a *authenticator) { a.client = map[string]any{"crossOrigin": true} }), none},
		"made, not used":       {with(func(a *authenticator) { a.client = map[string]any{"type": "webauthn.create"} }), none},
		"another text":         {with(func(a *authenticator) { a.client = map[string]any{"challenge": b64(make([]byte, 32))} }), none},
		"zero in front":        {with(func(*authenticator) {}), zeroFirst},
		"one byte less":        {with(func(*authenticator) {}), func(s *wire.Signature) { s.Sig = b64(decode(s.Sig)[1:]) }},
		"larger than its key":  {with(func(*authenticator) {}), func(s *wire.Signature) { s.Sig = b64(plus(decode(s.Sig), key.N)) }},
		"without what it says": {with(func(*authenticator) {}), func(s *wire.Signature) { s.AuthData, s.ClientData = "", "" }},
	} {
		w := open(t)
		a := c.by()
		w.trusts(a)
		if why := w.allows(a, c.bend); !strings.Contains(why, "does not hold") {
			t.Errorf("%s: %q", name, why)
		}
		if why := w.allows(rs256(t, key)); why != "" {
			t.Errorf("%s: the true one afterwards: %s", name, why)
		}
	}
}

func zeroFirst(s *wire.Signature) { s.Sig = b64(append([]byte{0}, decode(s.Sig)...)) }

func decode(s string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// plus is the number of a signature one modulus further, which is the same to who does not look.
func plus(sig []byte, n *big.Int) []byte {
	return new(big.Int).Add(new(big.Int).SetBytes(sig), n).Bytes()
}

// TestPasskey_eachByte flips each byte of an RSA signature.
func TestPasskey_eachByte(t *testing.T) {
	t.Parallel()
	w, a := open(t), rs256(t, rsaKeys[2048]())
	w.trusts(a)
	for i := range 256 {
		if why := w.allows(a, func(s *wire.Signature) { b := decode(s.Sig); b[i] ^= 1; s.Sig = b64(b) }); why == "" {
			t.Fatalf("byte %d of the signature does not matter", i)
		}
	}
}

// TestPasskey_oddKeys: what is no key of one of the two algorithms is not enrolled, under no kind.
func TestPasskey_oddKeys(t *testing.T) {
	t.Parallel()
	w := open(t)
	secret := w.codeKey(w.printed(nil))
	good := &rsaKeys[2048]().PublicKey
	exponent := func(e int) []byte { return spkiOf(t, &rsa.PublicKey{N: good.N, E: e}) }
	for name, c := range map[string]struct {
		kind wire.KeyKind
		der  []byte
		say  string
	}{
		"1024 bits":                  {wire.PasskeyKey, spkiOf(t, sized(t, 1024)), "not supported"},
		"2047 bits":                  {wire.PasskeyKey, spkiOf(t, sized(t, 2047)), "not supported"},
		"4097 bits":                  {wire.PasskeyKey, spkiOf(t, sized(t, 4097)), "not supported"},
		"exponent 1":                 {wire.PasskeyKey, exponent(1), "not supported"},
		"exponent 3":                 {wire.PasskeyKey, exponent(3), "not supported"},
		"exponent 65539":             {wire.PasskeyKey, exponent(65539), "not supported"},
		"named as of PSS":            {wire.PasskeyKey, named(t, good, pkcs1(10)), "not supported"},
		"named as of RS256":          {wire.PasskeyKey, named(t, good, pkcs1(11)), "not supported"},
		"named as of P-256":          {wire.PasskeyKey, named(t, good, asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}), "not supported"},
		"a tail":                     {wire.PasskeyKey, append(spkiOf(t, good), 0), "not supported"},
		"cut":                        {wire.PasskeyKey, spkiOf(t, good)[:290], "not supported"},
		"nothing":                    {wire.PasskeyKey, nil, "not supported"},
		"RSA said to be a browser's": {wire.BrowserKey, spkiOf(t, good), "P-256"},
		"RSA said to be a program's": {wire.SoftwareKey, spkiOf(t, good), "P-256"},
	} {
		e := wire.Enrolment{SPKI: b64(c.der), Kind: c.kind, Holder: wire.HolderPerson, Label: "k"}
		if c.kind == wire.PasskeyKey {
			e.Credential = "AA"
		}
		e.Prove(secret, serverID)
		_, err := w.Enrol(t.Context(), e)
		wantRefused(t, name, err, c.say)
	}
	if len(w.keys()) != 0 {
		t.Errorf("keys %+v", w.keys())
	}
}

// pkcs1 names an algorithm of PKCS #1.
func pkcs1(n int) asn1.ObjectIdentifier { return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, n} }

// sized is a public key of so many bits, to which nobody has the other half.
func sized(t testing.TB, bits uint) *rsa.PublicKey {
	t.Helper()
	top := new(big.Int).Lsh(big.NewInt(1), bits-1)
	low, err := rand.Int(rand.Reader, top)
	if err != nil {
		t.Fatal(err)
	}
	return &rsa.PublicKey{N: low.SetBit(low.Or(low, top), 0, 1), E: 65537}
}

func spkiOf(t testing.TB, public crypto.PublicKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// named is an RSA key that says to be for another algorithm.
func named(t testing.TB, public *rsa.PublicKey, oid asn1.ObjectIdentifier) []byte {
	t.Helper()
	der, err := asn1.Marshal(struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}{
		pkix.AlgorithmIdentifier{Algorithm: oid, Parameters: asn1.NullRawValue},
		asn1.BitString{Bytes: x509.MarshalPKCS1PublicKey(public), BitLength: 8 * len(x509.MarshalPKCS1PublicKey(public))},
	})
	if err != nil {
		t.Fatal(err)
	}
	return der
}
