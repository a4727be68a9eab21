package staff

import (
	"crypto/subtle"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

const (
	period    = 30 // seconds that a code is good for
	skew      = 1  // codes before and after the present one that are good too: clocks differ
	maxTries  = 5
	tryWindow = 15 * time.Minute
)

// SecondFactor is what is known of somebody's app for one-time codes.
type SecondFactor struct {
	Secret   string // base32
	LastStep int64  // number of the 30 s period whose code was accepted last
	Tries    int    // codes refused since Since
	Since    time.Time
}

// NewSecondFactor makes a secret for somebody's app.
func NewSecondFactor(email string) (SecondFactor, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: email, Period: period, SecretSize: 20})
	if err != nil {
		return SecondFactor{}, fmt.Errorf("new second factor: %w", err)
	}
	return SecondFactor{Secret: key.Secret()}, nil
}

const issuer = "Gatehouse"

// URL is what an app reads from a QR code to learn the secret.
func (f SecondFactor) URL(email string) string {
	q := url.Values{"secret": {f.Secret}, "issuer": {issuer}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+email) + "?" + q.Encode()
}

// Check accepts code at now or refuses it. A code is good once, and so is every older one; after five refusals within
// a quarter of an hour even the right one is refused until that is over.
func (f *SecondFactor) Check(code string, now time.Time) error {
	if now.Sub(f.Since) >= tryWindow {
		f.Tries, f.Since = 0, now
	}
	if f.Tries >= maxTries {
		return ErrCodeOut
	}
	step, ok := f.match(strings.TrimSpace(code), now)
	if !ok || step <= f.LastStep {
		f.Tries++
		return ErrCode
	}
	f.LastStep, f.Tries = step, 0
	return nil
}

// match finds the period whose code this is. It looks at all periods whatever it finds, to take the same time.
func (f *SecondFactor) match(code string, now time.Time) (found int64, ok bool) {
	at := now.Unix() / period
	for step := at - skew; step <= at+skew; step++ {
		want, err := hotp.GenerateCodeCustom(f.Secret, uint64(step), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			found, ok = step, true
		}
	}
	return found, ok
}

// CodeAt is the code of secret at now: for the demo's printed log-in and for tests.
func CodeAt(secret string, now time.Time) (string, error) {
	return totp.GenerateCode(secret, now)
}
