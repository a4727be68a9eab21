package e2e

import (
	"fmt"
	"os"
	"testing"

	"gatehouse/cmd/hub/rig"
	"gatehouse/db/dbtest"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gatehouse-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := rig.Build("../../..", dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	bin = dir
	defer func() {
		if browser.stop != nil {
			browser.stop()
		}
	}()
	return dbtest.Run(m)
}
