package second

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// BackupCodes is how many backup codes a set has.
const BackupCodes = 10

const (
	backupAlphabet = "23456789abcdefghjkmnpqrstuvwxyz" // no signs that look alike
	backupSigns    = 12
	backupGroup    = 4
)

// NewBackup makes a set of backup codes for who, an id: the codes to be shown once, and the hashes to be kept.
func NewBackup(who string) (codes, hashes []string) {
	for range BackupCodes {
		bare := newBackupCode()
		codes = append(codes, strings.Join([]string{bare[:backupGroup], bare[backupGroup : 2*backupGroup], bare[2*backupGroup:]}, "-"))
		hashes = append(hashes, hashBackup(who, bare))
	}
	return codes, hashes
}

// IsBackup says whether what somebody typed is meant as a backup code, not as one of an app.
func IsBackup(typed string) bool { return len(bareBackup(typed)) == backupSigns }

// newBackupCode draws its signs evenly: bytes past the last whole round of the alphabet are drawn again.
func newBackupCode() string {
	const even = 256 - 256%len(backupAlphabet)
	code := make([]byte, 0, backupSigns)
	for len(code) < backupSigns {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails: it ends the program instead
		if int(b[0]) < even {
			code = append(code, backupAlphabet[int(b[0])%len(backupAlphabet)])
		}
	}
	return string(code)
}

// bareBackup is a code without the signs that people put between its groups.
func bareBackup(typed string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(typed)))
}

// hashBackup is what is kept of a code: bound to its person, so that no table of codes fits two people.
func hashBackup(who, bare string) string {
	sum := sha256.Sum256([]byte("gatehouse-backup-v1\n" + who + "\n" + bare))
	return base64.RawStdEncoding.EncodeToString(sum[:])
}

// withoutBackup takes the hash of the code out of left, and says whether it was there. It looks at all of them.
func withoutBackup(who, code string, left []string) ([]string, bool) {
	want, found := []byte(hashBackup(who, bareBackup(code))), false
	rest := make([]string, 0, len(left))
	for _, hash := range left {
		if subtle.ConstantTimeCompare([]byte(hash), want) == 1 {
			found = true
			continue
		}
		rest = append(rest, hash)
	}
	return rest, found
}
