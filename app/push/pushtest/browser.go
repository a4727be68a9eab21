package pushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
)

// Browser is one that has subscribed at a service.
type Browser struct {
	Endpoint string
	P256dh   string // base64url
	Auth     string // base64url

	key    *ecdh.PrivateKey
	auth   []byte
	server string // public key that it subscribed for, base64url
}

// Subscribe is what a browser does for a page that gives it the public key of its server.
func (s *Service) Subscribe(server string) *Browser {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		panic(err) // the source of chance ends the program instead
	}
	b := &Browser{key: key, auth: make([]byte, 16), server: server}
	_, _ = rand.Read(b.auth) // never fails
	b.P256dh, b.Auth = b64.EncodeToString(key.PublicKey().Bytes()), b64.EncodeToString(b.auth)
	path := "/p/" + rand.Text()
	b.Endpoint = s.URL + path
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browsers[path] = b
	return b
}

// Forget is what a service does when the browser has unsubscribed: its address is not there any more.
func (s *Service) Forget(b *Browser) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, known := range s.browsers {
		if known == b {
			delete(s.browsers, path)
		}
	}
}

var b64 = base64.RawURLEncoding

// JSON is the subscription as a page hands it to its server.
func (b *Browser) JSON() string {
	out, _ := json.Marshal(map[string]any{ // texts always have JSON
		"endpoint": b.Endpoint, "expirationTime": nil, "keys": map[string]string{"p256dh": b.P256dh, "auth": b.Auth},
	})
	return string(out)
}

var errSealed = errors.New("the message does not open")

// open is RFC 8291 as the browser does it: one record of RFC 8188, sealed to its key and secret.
func (b *Browser) open(raw []byte) ([]byte, error) {
	const head = 16 + 4 + 1 + 65
	if len(raw) < head+17 || raw[20] != 65 || int(binary.BigEndian.Uint32(raw[16:20])) < len(raw)-head {
		return nil, errSealed
	}
	salt, from, box := raw[:16], raw[21:head], raw[head:]
	peer, err := ecdh.P256().NewPublicKey(from)
	if err != nil {
		return nil, err
	}
	shared, err := b.key.ECDH(peer)
	if err != nil {
		return nil, err
	}
	info := slices.Concat([]byte("WebPush: info\x00"), b.key.PublicKey().Bytes(), from)
	ikm, err := hkdf.Key(sha256.New, shared, b.auth, string(info), 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	return unpad(key, nonce, box)
}

// unpad opens the last record of a body: text, a 2, zeros.
func unpad(key, nonce, box []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nonce, box, nil)
	if err != nil {
		return nil, errSealed
	}
	end := len(plain) - 1
	for end >= 0 && plain[end] == 0 {
		end--
	}
	if end < 0 || plain[end] != 2 {
		return nil, errSealed
	}
	return plain[:end], nil
}
