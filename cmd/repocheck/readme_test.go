package repocheck

import (
	"os"
	"path/filepath"
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
	for _, doc := range documents {
		for _, m := range regexp.MustCompile("`(?:[A-Z_]+=\\S+ )?make ([a-z-]+)").FindAllStringSubmatch(document(t, doc), -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s names `make %s`, which the Makefile does not have", doc, m[1])
			}
		}
	}
}

// TestReadme_linksExist: links to files of the repository lead somewhere.
func TestReadme_linksExist(t *testing.T) {
	t.Parallel()
	for _, doc := range documents {
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(document(t, doc), -1) {
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(doc), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", doc, m[1], err)
			}
		}
	}
}
