package local

import (
	"os"
	"path/filepath"
	"testing"

	"gatehouse/app/provider/vpshost/vpshosttest"
)

// TestContract: what this computer promises as every place does. What a released server leaves is no longer in its place.
func TestContract(t *testing.T) {
	t.Parallel()
	h, dir := open(t)
	vpshosttest.Contract(t, h, func() int {
		all, err := os.ReadDir(filepath.Join(dir, "servers"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, d := range all {
			if d.IsDir() && len(d.Name()) == len("01980000-0000-7000-8000-000000000001") {
				n++
			}
		}
		return n
	})
}
