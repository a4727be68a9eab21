package e2e

import (
	"fmt"
	"os"
	"testing"

	"gatehouse/cmd/hub/rig"
	"gatehouse/db/dbtest"
)

// Root is the checkout, as seen from the folder of a theme.
const Root = "../../../.."

// Programs is the folder of the shipped programs, which Main builds.
var Programs string

// Main builds the programs, runs a theme's tests and stops what they share. Call it from TestMain.
func Main(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gatehouse-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := rig.Build(Root, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	Programs = dir
	defer func() {
		if browser.stop != nil {
			browser.stop()
		}
	}()
	return dbtest.Run(m)
}
