package vaulttest

import (
	"runtime"
	"slices"
	"strings"
)

// InTurn says whether a goroutine that a test has started waits for its turn at a secret just now. Nothing else shows
// that one waits.
func InTurn(test string) bool {
	all := make([]byte, 4<<20)
	all = all[:runtime.Stack(all, true)]
	return slices.ContainsFunc(strings.Split(string(all), "\n\n"), func(one string) bool {
		return strings.Contains(one, "vault.(*Vault).turn(") && strings.Contains(one, "."+test+".func")
	})
}
