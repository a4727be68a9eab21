package wire

import (
	"crypto/ecdh"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// fileInfo is the HKDF info of the boxes that hold stretches of files.
const fileInfo = "gatehouse-file-v1"

// FilePurpose binds a box to one stretch of one file on one server.
type FilePurpose struct {
	Method   Method
	ServerID string
	Name     string // path of the file, or id of the upload
	Version  string // of the content, or the hash of the stretch
	Offset   int64
}

// Text is the additional data of the box: six lines joined by \n: "gatehouse-file-v1", method, server id, name, version,
// offset.
func (p FilePurpose) Text() string {
	return strings.Join([]string{fileInfo, string(p.Method), p.ServerID, p.Name, p.Version, strconv.FormatInt(p.Offset, 10)}, "\n")
}

// SealFile closes a stretch of a file to the recipient's public key. The box is made as a SecretBox is, with its own info
// and without filling: how long a file is, is no secret.
func SealFile(recipient string, p FilePurpose, plain []byte) ([]byte, error) {
	to, err := SecretPublic(recipient)
	if err != nil {
		return nil, err
	}
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("seal file: %w", err)
	}
	from := own.PublicKey().Bytes()
	aead, iv, err := boxKey(own, to, from, to.Bytes(), fileInfo)
	if err != nil {
		return nil, fmt.Errorf("seal file: %w", err)
	}
	return aead.Seal(from, iv, plain, []byte(p.Text())), nil
}

// OpenFile opens what SealFile closed for this key and purpose, or answers ErrSealed.
func OpenFile(own *ecdh.PrivateKey, p FilePurpose, box []byte) ([]byte, error) {
	if len(box) < pointSize {
		return nil, ErrSealed
	}
	from, err := ecdh.P256().NewPublicKey(box[:pointSize])
	if err != nil {
		return nil, ErrSealed
	}
	aead, iv, err := boxKey(own, from, box[:pointSize], own.PublicKey().Bytes(), fileInfo)
	if err != nil {
		return nil, ErrSealed
	}
	plain, err := aead.Open(nil, iv, box[pointSize:], []byte(p.Text()))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// PartsHash names a whole file by the hashes of its stretches, so that a browser need not hold all of it to name it: hex
// SHA-256 over "gatehouse-file-v1", the size and the hex hashes, joined by \n.
func PartsHash(size int64, parts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{fileInfo, strconv.FormatInt(size, 10)}, parts...), "\n")))
	return hex.EncodeToString(sum[:])
}
