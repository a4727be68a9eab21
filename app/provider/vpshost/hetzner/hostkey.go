package hetzner

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/provider/target"
)

// hostKeys are the keys by which a machine is known from its first second on.
type hostKeys struct {
	private ed25519.PrivateKey
	public  ssh.PublicKey
}

// hostKey derives a machine's host key. Nothing of it has to be kept: the same comes out at every try.
func hostKey(seed []byte, serverID string) (hostKeys, error) {
	raw, err := hkdf.Key(sha256.New, seed, nil, "gatehouse-host-key-v1 "+serverID, ed25519.SeedSize)
	if err != nil {
		return hostKeys{}, fmt.Errorf("host key: %w", err)
	}
	private := ed25519.NewKeyFromSeed(raw)
	public, err := ssh.NewPublicKey(private.Public())
	if err != nil {
		return hostKeys{}, fmt.Errorf("host key: %w", err)
	}
	return hostKeys{private, public}, nil
}

// userData gives a new machine its host key, and takes passwords off it (cloud-init, modules "SSH" and "Set Passwords"). JSON is
// YAML as well.
func userData(key hostKeys) (string, error) {
	block, err := ssh.MarshalPrivateKey(key.private, "")
	if err != nil {
		return "", fmt.Errorf("host key: %w", err)
	}
	config, err := json.Marshal(map[string]any{
		"ssh_pwauth": false, "ssh_deletekeys": true,
		"ssh_keys": map[string]string{
			"ed25519_private": string(pem.EncodeToMemory(block)), "ed25519_public": target.KeyText(key.public),
		},
	})
	if err != nil {
		return "", fmt.Errorf("user data: %w", err)
	}
	return "#cloud-config\n" + string(config) + "\n", nil
}
