package wire

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// What turns a code for enrolment into a key; a browser does the same and takes a few tenths of a second.
const (
	codeRounds = 600_000
	codeSalt   = "gatehouse-approver-v1"
)

// CodeKey is the key that a code stands for, however a person typed the code. It takes about 0.1 s of processor time, so derive
// it once for all that is proven with one code.
func CodeKey(code string) ([]byte, error) {
	k, err := pbkdf2.Key(sha256.New, plainCode(code), []byte(codeSalt), codeRounds, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive code: %w", err)
	}
	return k, nil
}

// plainCode is a code as it is meant: letters and the digits 2 to 7; 0 and 1 are read as what they look like.
func plainCode(code string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '0':
			return 'O'
		case c == '1':
			return 'I'
		case c >= 'a' && c <= 'z':
			return c - 'a' + 'A'
		case c >= 'A' && c <= 'Z', c >= '2' && c <= '7':
			return c
		}
		return -1
	}, code)
}

// CodeMAC authenticates a text with the key of a code; base64url without padding.
func CodeMAC(key []byte, text string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// Prove adds the proof that whoever asks knows the code that key stands for.
func (e *Enrolment) Prove(key []byte, serverID string) {
	e.Proof = CodeMAC(key, ProofText(serverID, *e))
}
