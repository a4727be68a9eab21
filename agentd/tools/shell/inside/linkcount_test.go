package inside

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestLink_allCountTogether: links that lead twice to the next one are followed no further than others are.
func TestLink_allCountTogether(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := func(name, to string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "there"), 0o700); err != nil {
		t.Fatal(err)
	}
	link("x0", "there")
	link("m0", "there")
	for i := 1; i <= 40; i++ {
		link(fmt.Sprintf("x%d", i), fmt.Sprintf("there/../x%d/../x%d", i-1, i-1))
		link(fmt.Sprintf("m%d", i), fmt.Sprintf("missing/../m%d/../m%d", i-1, i-1))
		link(fmt.Sprintf("one%d", i), fmt.Sprintf("./one%d", i-1))
	}
	link("round", "round")
	for name, want := range map[string]string{
		"x40": "", "m40": "", "m1": "", "round": "", "x3/new": "there/new", "x3/../a/b": "a/b", "one30/y": "one0/y",
		"nothing/here": "nothing/here",
	} {
		read := 0
		got, err := follow(dir+"/"+name, func(p string) (string, error) {
			to, err := os.Readlink(p)
			if err == nil {
				read++
			}
			return to, err
		})
		if want == "" != (err != nil) || want != "" && got != filepath.Join(dir, want) || read > maxLinks+1 {
			t.Errorf("%s leads to %s after %d links: %v", name, got, read, err)
		}
	}
}
