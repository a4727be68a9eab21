package repocheck

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadme_makeTargetsExist: a command in the README that fails is worse than none.
func TestReadme_makeTargetsExist(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{"README.md", "CONTRIBUTING.md", "docs/ARCHITECTURE.md"} {
		text, err := os.ReadFile("../../" + doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`(?:[A-Z_]+=\\S+ )?make ([a-z-]+)").FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s names `make %s`, which the Makefile does not have", doc, m[1])
			}
		}
	}
}

// TestReadme_linksExist: links to files of the repository lead somewhere.
func TestReadme_linksExist(t *testing.T) {
	t.Parallel()
	for doc, base := range map[string]string{"README.md": "../../", "CONTRIBUTING.md": "../../", "SECURITY.md": "../../", "docs/ARCHITECTURE.md": "../../docs/"} {
		text, err := os.ReadFile("../../" + doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(base + m[1]); err != nil {
				t.Errorf("%s links to %s: %v", doc, m[1], err)
			}
		}
	}
}
