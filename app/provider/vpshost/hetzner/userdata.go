package hetzner

import (
	"encoding/json"
	"fmt"

	"gatehouse/app/provider/vpshost/setup"
)

// userData gives a new machine its host key, and takes passwords off it (cloud-init, modules "SSH" and "Set Passwords"). JSON is
// YAML as well.
func userData(key setup.HostKey) (string, error) {
	private, err := key.Private()
	if err != nil {
		return "", err
	}
	config, err := json.Marshal(map[string]any{
		"ssh_pwauth": false, "ssh_deletekeys": true,
		"ssh_keys": map[string]string{"ed25519_private": private, "ed25519_public": key.Public()},
	})
	if err != nil {
		return "", fmt.Errorf("user data: %w", err)
	}
	return "#cloud-config\n" + string(config) + "\n", nil
}
