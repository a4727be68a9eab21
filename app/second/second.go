package second

import (
	"crypto/subtle"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"gatehouse/app/fault"
)

// Refusals. A wrong code and one that was used already read the same.
var (
	ErrCode = fault.New(fault.Unauthorized, "wrong-code", "wrong or used one-time code",
		"This code is wrong or was used already. Wait for the next one in your app, then type it.")
	ErrCodeOut = fault.New(fault.TooMany, "code-tries", "too many one-time codes",
		"Five codes were wrong. Wait 15 minutes, then sign in again.")
)

const (
	period    = 30 // seconds that a code is good for
	skew      = 1  // codes before and after the present one that are good too: clocks differ
	maxTries  = 5
	tryWindow = 15 * time.Minute
)

// Factor is what is known of somebody's app for one-time codes.
type Factor struct {
	Secret   string // base32
	LastStep int64  // number of the 30 s period whose code was accepted last
	Tries    int    // codes refused since Since
	Since    time.Time
}

// New makes a secret for somebody's app.
func New(email string) (Factor, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: email, Period: period, SecretSize: 20})
	if err != nil {
		return Factor{}, fmt.Errorf("new second factor: %w", err)
	}
	return Factor{Secret: key.Secret()}, nil
}

const issuer = "Gatehouse"

// URL is what an app reads from a QR code to learn the secret.
func (f Factor) URL(email string) string {
	q := url.Values{"secret": {f.Secret}, "issuer": {issuer}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+email) + "?" + q.Encode()
}

// Check accepts code at now or refuses it. A code is good once, and so is every older one; after five refusals within
// a quarter of an hour even the right one is refused until that is over.
func (f *Factor) Check(code string, now time.Time) error {
	return f.count(now, func() bool {
		step, ok := f.match(strings.TrimSpace(code), now)
		if !ok || step <= f.LastStep {
			return false
		}
		f.LastStep = step
		return true
	})
}

// CheckBackup is Check for one of the backup codes that are kept by the hashes in left. The one that was used is not among
// those it returns. Backup codes and those of the app share their tries.
func (f *Factor) CheckBackup(who, code string, left []string, now time.Time) ([]string, error) {
	err := f.count(now, func() (ok bool) {
		left, ok = withoutBackup(who, code, left)
		return ok
	})
	return left, err
}

// count lets right say whether a code is, unless too many were wrong a short while ago.
func (f *Factor) count(now time.Time, right func() bool) error {
	if now.Sub(f.Since) >= tryWindow {
		f.Tries, f.Since = 0, now
	}
	switch {
	case f.Tries >= maxTries:
		return ErrCodeOut
	case !right():
		f.Tries++
		return ErrCode
	}
	f.Tries = 0
	return nil
}

// match finds the period whose code this is. It looks at all periods whatever it finds, to take the same time.
func (f *Factor) match(code string, now time.Time) (found int64, ok bool) {
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
