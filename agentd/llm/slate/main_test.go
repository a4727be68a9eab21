package slate_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain takes fewer lives of a process than rapid would: each opens a database. With GATEHOUSE_SOAK set it takes many.
func TestMain(m *testing.M) {
	checks := "25"
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		checks = "1000"
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
