package setup

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/pem"
	"fmt"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/provider/target"
)

// HostKey is the key by which a rented machine is known from its first system on.
type HostKey struct {
	private ed25519.PrivateKey
	public  ssh.PublicKey
}

// DeriveHostKey derives the host key of a server's machine. Nothing of it has to be kept: the same comes out at every try.
func DeriveHostKey(seed []byte, serverID string) (HostKey, error) {
	raw, err := hkdf.Key(sha256.New, seed, nil, "gatehouse-host-key-v1 "+serverID, ed25519.SeedSize)
	if err != nil {
		return HostKey{}, fmt.Errorf("host key: %w", err)
	}
	private := ed25519.NewKeyFromSeed(raw)
	public, err := ssh.NewPublicKey(private.Public())
	if err != nil {
		return HostKey{}, fmt.Errorf("host key: %w", err)
	}
	return HostKey{private, public}, nil
}

// Public is the public half as in authorized_keys.
func (k HostKey) Public() string { return target.KeyText(k.public) }

// Private is the secret half as the SSH server of a machine reads it.
func (k HostKey) Private() (string, error) {
	block, err := ssh.MarshalPrivateKey(k.private, "")
	if err != nil {
		return "", fmt.Errorf("host key: %w", err)
	}
	return string(pem.EncodeToMemory(block)), nil
}
