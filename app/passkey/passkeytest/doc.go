// Package passkeytest is an authenticator in software, for tests: it makes passkeys and answers challenges as a phone would, and
// as one would that was copied, or that is asked for another website.
//
// May import: app/passkey, the standard library. Used by: tests only. Proof: go test ./db
package passkeytest
