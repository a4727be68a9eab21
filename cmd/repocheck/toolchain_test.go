package repocheck

import (
	"go/version"
	"os"
	"regexp"
	"testing"
)

// leastGo is the first release in which no name leads out of an os.Root: before it, a link with a slash behind did.
const leastGo = "1.26.5"

// TestToolchain: every Go that builds this keeps files beneath their folder. A toolchain line would not do: a Go that may
// not fetch another one passes over it.
func TestToolchain(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^go ([0-9.]+)$`).FindSubmatch(b)
	if m == nil || version.Compare("go"+string(m[1]), "go"+leastGo) < 0 {
		t.Errorf("go.mod asks for %q, and not for %s or newer", m, leastGo)
	}
}
