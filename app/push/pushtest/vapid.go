package pushtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// vapid is RFC 8292 as a push service checks it: the token is signed by the key that the browser subscribed for, is for this
// service, and lasts at most a day. It gives whom the sender names.
func vapid(header, service, subscribedFor string, now time.Time) (subject string, err error) {
	token, key, found := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	if !strings.HasPrefix(header, "vapid t=") || !found {
		return "", fmt.Errorf("header %q", header)
	}
	if key != subscribedFor {
		return "", errors.New("another key than the browser subscribed for")
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 || !signed(parts, key) {
		return "", errors.New("the token is not signed by the key")
	}
	var head struct{ Typ, Alg string }
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := errors.Join(part(parts[0], &head), part(parts[1], &claims)); err != nil {
		return "", err
	}
	left := time.Unix(claims.Exp, 0).Sub(now)
	switch {
	case head.Alg != "ES256" || head.Typ != "JWT":
		return "", fmt.Errorf("token of kind %+v", head)
	case claims.Aud != service:
		return "", fmt.Errorf("the token is for %s", claims.Aud)
	case left <= 0 || left > 24*time.Hour:
		return "", fmt.Errorf("the token lasts %s", left)
	case !strings.HasPrefix(claims.Sub, "https://") && !strings.HasPrefix(claims.Sub, "mailto:"), strings.Count(claims.Sub, ":") != 1:
		return "", fmt.Errorf("the token names %q", claims.Sub)
	}
	return claims.Sub, nil
}

func part(text string, to any) error {
	raw, err := b64.DecodeString(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, to)
}

// signed reports whether the token's signature is of that public key.
func signed(parts []string, key string) bool {
	point, err := b64.DecodeString(key)
	sig, bad := b64.DecodeString(parts[2])
	if err != nil || bad != nil || len(sig) != 64 {
		return false
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	return ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:]))
}
