package e2e

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"gatehouse/cmd/hub/rig"
	"gatehouse/db/dbtest"
)

// Root is the checkout, as seen from the folder of a theme.
const Root = "../../../.."

// programs is the folder for the shipped programs.
var programs struct {
	once sync.Once
	dir  string
	err  error
}

// Programs is the folder of the shipped programs. The first test that asks builds them, for all of its theme.
func Programs(t testing.TB) string {
	t.Helper()
	programs.once.Do(func() { programs.err = rig.Build(Root, programs.dir) })
	if programs.err != nil {
		t.Fatal(programs.err)
	}
	return programs.dir
}

// Main runs a theme's tests and stops what they share. Call it from TestMain.
func Main(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gatehouse-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs.dir = dir
	defer func() {
		if browser.stop != nil {
			browser.stop()
		}
	}()
	return dbtest.Run(m)
}
