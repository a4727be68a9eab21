package repocheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxFile bounds a file of the repository: a program that was built into a folder of it must not be committed.
const maxFile = 2 << 20

// TestFiles_small: no file is larger than maxFile.
func TestFiles_small(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("git", "ls-files", "-co", "-z", "--exclude-standard")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(out), "\x00"), "\x00") {
		if st, err := os.Lstat(filepath.Join("../..", name)); err == nil && st.Size() > maxFile {
			t.Errorf("%s has %d bytes, more than %d", name, st.Size(), maxFile)
		}
	}
}
