package server

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// TestKeysOf_version: the version of an agentd has at most 100 characters, however many bytes they take.
func TestKeysOf_version(t *testing.T) {
	t.Parallel()
	for n, fits := range map[int]bool{100: true, 101: false} {
		_, err := keysOf(wire.RegisterRequest{AgentdVersion: strings.Repeat("é", n)})
		if (fault.Of(err).Fields["agentd_version"] == "") != fits {
			t.Errorf("%d characters: %v", n, err)
		}
	}
}
