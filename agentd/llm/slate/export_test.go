package slate

import (
	"os"
	"testing"
)

// Crash leaves of a file what a crash of the machine is sure to leave: what was waited for on disk. The notes of calls are gone, and
// the machine has started anew.
func Crash(t testing.TB, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(b[callsAt:])
	clear(b[:headSize])
	copy(b[8:], magic+"another start\n")
	sealed(b[:headSize])
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
