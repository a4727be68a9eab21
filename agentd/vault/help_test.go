package vault_test

import (
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

func newValue(name string) vault.New {
	return vault.New{Name: name, Value: secret.New(canary(name)), Source: vault.FromOwner, By: "owner"}
}
