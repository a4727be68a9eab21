package approver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/wire"
)

// The files in the state directory that codes lie in. They are made on the server's console, by the owner of the
// directory, and read when a key is to be enrolled.
const (
	CodeFile     = "approver.code"
	RecoveryFile = "approver.recovery"
)

const (
	codeLife       = 24 * time.Hour
	recoveryLength = 24 // letters
	maxTries       = 5
)

// Code lets one key be enrolled.
type Code struct {
	Code    string          `json:"code"`
	Expires time.Time       `json:"expires"`
	Version int64           `json:"version,omitempty"` // with Grant: the configuration version that was signed
	Grant   *wire.Signature `json:"grant,omitempty"`   // of an enrolled key, once there is one
}

// recovery is the recovery code as it is kept: a slow hash, which is what authenticates.
type recovery struct {
	Key  string    `json:"key"` // hex
	Made time.Time `json:"made"`
}

// newCode is n letters of five bits each, in groups of four.
func newCode(n int) string {
	text := rand.Text()[:n]
	var b strings.Builder
	for i, c := range text {
		if i > 0 && i%4 == 0 {
			b.WriteByte('-')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// codeBody is what an enrolled key signs to let a code count.
func codeBody(key []byte, expires time.Time) wire.CodeBody {
	sum := sha256.Sum256(key)
	return wire.CodeBody{Code: hex.EncodeToString(sum[:]), Expires: expires.UTC().Format(time.RFC3339)}
}

// MakeCode puts a new code into a state directory, in place of the one before. Once a server has keys, signer must be
// one of them.
func MakeCode(dir, serverID string, version int64, signer *wire.Signer, now time.Time) (string, error) {
	c := Code{Code: newCode(12), Expires: now.Add(codeLife).UTC().Truncate(time.Second)}
	if signer != nil {
		key, err := wire.CodeKey(c.Code)
		if err != nil {
			return "", fmt.Errorf("make code: %w", err)
		}
		at := now.UTC().Truncate(time.Second)
		text, err := change{wire.ChangeCode, codeBody(key, c.Expires), version}.text(serverID, at)
		if err != nil {
			return "", err
		}
		if c.Grant, err = signer.Sign(text, at); err != nil {
			return "", err
		}
		c.Version = version
	}
	return c.Code, write(filepath.Join(dir, CodeFile), c)
}

// MakeRecovery makes the code that enrols a key when all others are lost, in place of the one before. It is shown once
// and kept only as a slow hash.
func MakeRecovery(dir string, now time.Time) (string, error) {
	code := newCode(recoveryLength)
	key, err := wire.CodeKey(code)
	if err != nil {
		return "", fmt.Errorf("make recovery code: %w", err)
	}
	return code, write(filepath.Join(dir, RecoveryFile), recovery{Key: hex.EncodeToString(key), Made: now.UTC()})
}

// ReadCode reads the code of a state directory, which may have been used already.
func ReadCode(dir string) (Code, error) {
	var c Code
	return c, read(filepath.Join(dir, CodeFile), &c)
}

// write puts a file in place whole or not at all, for its owner alone.
func write(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("keep code: %w", err)
	}
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep code: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("keep code: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("keep code: %w", err)
	}
	return nil
}

// errNoCode says that there is no code to prove.
var errNoCode = errors.New("no code was made on this server")

func read(path string, v any) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errNoCode
	}
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return fmt.Errorf("read code: %w", err)
	}
	return nil
}

// codeCache remembers what was derived from the last code: each try would cost as much as a guess.
type codeCache struct {
	mu   sync.Mutex
	code string
	key  []byte
}

func (c *codeCache) derive(code string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.code == code && c.key != nil {
		return c.key, nil
	}
	key, err := wire.CodeKey(code)
	if err != nil {
		return nil, err
	}
	c.code, c.key = code, key
	return key, nil
}
