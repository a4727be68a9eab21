package passkeytest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"gatehouse/app/passkey"
)

// Authenticator holds one passkey. Its fields may be changed to answer otherwise than an honest one.
type Authenticator struct {
	Origin string
	Party  string
	Handle []byte
	Count  uint32 // 0: it has no counter
	Flags  byte   // present, verified

	ID  []byte
	key *ecdsa.PrivateKey
	t   *testing.T
}

// Flags of an authenticator.
const (
	Present  = 1 << 0
	Verified = 1 << 2
	attested = 1 << 6
)

// New is an authenticator in a browser that shows origin.
func New(t *testing.T, origin, party string) *Authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	_, _ = rand.Read(id)
	return &Authenticator{Origin: origin, Party: party, Flags: Present | Verified, ID: id, key: key, t: t}
}

// asked is what an authenticator reads of the options.
type asked struct {
	Challenge string `json:"challenge"`
	User      struct {
		ID string `json:"id"`
	} `json:"user"`
}

func (a *Authenticator) read(q passkey.Asked) (in asked) {
	a.t.Helper()
	raw, err := json.Marshal(q.Options)
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return in
}

func (a *Authenticator) client(kind, challenge string) []byte {
	raw, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.Origin, "crossOrigin": false})
	if err != nil {
		a.t.Fatal(err)
	}
	return raw
}

// data is what an authenticator says of itself.
func (a *Authenticator) data(flags byte) []byte {
	party := sha256.Sum256([]byte(a.Party))
	return binary.BigEndian.AppendUint32(append(party[:], flags), a.Count)
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Make answers a request to make a passkey.
func (a *Authenticator) Make(q passkey.Asked) string {
	a.t.Helper()
	in := a.read(q)
	handle, err := base64.RawURLEncoding.DecodeString(in.User.ID)
	if err != nil {
		a.t.Fatal(err)
	}
	a.Handle = handle
	auth := a.data(a.Flags | attested)
	auth = append(auth, make([]byte, 16)...) // made by nobody in particular
	auth = binary.BigEndian.AppendUint16(auth, uint16(len(a.ID)))
	auth = append(append(auth, a.ID...), a.cose()...)
	// CBOR: {"fmt": "none", "attStmt": {}, "authData": auth}
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"), byte(len(auth)>>8), byte(len(auth)))
	return a.answer(map[string]any{
		"clientDataJSON": b64(a.client("webauthn.create", in.Challenge)), "attestationObject": b64(append(object, auth...)),
	})
}

// cose is the public key: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
func (a *Authenticator) cose() []byte {
	public, err := a.key.PublicKey.Bytes()
	if err != nil {
		a.t.Fatal(err)
	}
	x, y := public[1:33], public[33:]
	return bytes.Join([][]byte{[]byte("\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"), x, []byte("\x22\x58\x20"), y}, nil)
}

// Sign answers a request to sign in, and counts.
func (a *Authenticator) Sign(q passkey.Asked) string {
	a.t.Helper()
	if a.Count > 0 {
		a.Count++
	}
	client, auth := a.client("webauthn.get", a.read(q).Challenge), a.data(a.Flags)
	about := sha256.Sum256(client)
	digest := sha256.Sum256(append(bytes.Clone(auth), about[:]...))
	sig, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return a.answer(map[string]any{
		"clientDataJSON": b64(client), "authenticatorData": b64(auth), "signature": b64(sig), "userHandle": b64(a.Handle),
	})
}

func (a *Authenticator) answer(response map[string]any) string {
	raw, err := json.Marshal(map[string]any{"id": b64(a.ID), "rawId": b64(a.ID), "type": "public-key", "response": response})
	if err != nil {
		a.t.Fatal(err)
	}
	return string(raw)
}
