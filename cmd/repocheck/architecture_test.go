package repocheck

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents are what a newcomer reads, from here.
var documents = []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/ARCHITECTURE.md", "docs/PROOFS.md", "docs/OPERATING.md"}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestArchitecture_namesEveryFolder: a map with a white spot sends people the wrong way.
func TestArchitecture_namesEveryFolder(t *testing.T) {
	t.Parallel()
	text := document(t, "docs/ARCHITECTURE.md")
	for _, p := range list(t) {
		top, name, _ := strings.Cut(short(p.ImportPath), "/")
		if name == "" || strings.Contains(name, "/") || strings.Contains(text, "`"+top+"/"+name+"`") {
			continue
		}
		if top != "app" || !regexp.MustCompile(`(?m)^\| .app/<capability>. .*\b`+name+`\b`).MatchString(text) {
			if top == "agentd" || top == "app" || top == "cmd" {
				t.Errorf("docs/ARCHITECTURE.md does not say what %s/%s is", top, name)
			}
		}
	}
}

// TestDocuments_pathsAndTestsExist: what the documents point at is there.
func TestDocuments_pathsAndTestsExist(t *testing.T) {
	t.Parallel()
	tests := testNames(t)
	for _, doc := range documents {
		text := document(t, doc)
		for _, m := range regexp.MustCompile("`((?:agentd|app|cmd|db|docs|jobs|static|views)/[\\w./-]*)`").FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat("../../" + m[1]); err != nil {
				t.Errorf("%s names %s: %v", doc, m[1], err)
			}
		}
		for _, m := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(text, -1) {
			if !tests[m[1]] {
				t.Errorf("%s names %s, which no file has", doc, m[1])
			}
		}
	}
}

// testNames are the tests of every package of ours.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, names := range testsByPackage(t) {
		maps.Copy(all, names)
	}
	return all
}

// testsByPackage are the tests and fuzz targets of each package, by its folder.
func testsByPackage(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, p := range list(t) {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(string(text), -1) {
				names[m[1]] = true
			}
		}
		all[short(p.ImportPath)] = names
	}
	return all
}
