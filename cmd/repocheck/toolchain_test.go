package repocheck

import (
	"go/version"
	"os"
	"regexp"
	"testing"
)

// leastGo is the first release in which no name leads out of an os.Root: before it, a link with a slash behind did.
const leastGo = "go1.26.5"

// TestToolchain: what is built by the toolchain that go.mod asks for keeps files beneath their folder.
func TestToolchain(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^toolchain (go[0-9.]+)$`).FindSubmatch(b)
	if m == nil || version.Compare(string(m[1]), leastGo) < 0 {
		t.Errorf("go.mod asks for %q, and not for %s or newer", m, leastGo)
	}
}
