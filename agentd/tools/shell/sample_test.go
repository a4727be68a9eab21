package shell_test

import (
	"cmp"
	"os"
	"strconv"
	"testing"

	"gatehouse/agentd/seeded"
)

// sampled is set in a run of this package inside another one, which looks at how cases run and not at their results. That
// run takes one case of each so many. The long run (GATEHOUSE_SOAK) takes all.
const sampled = "GATEHOUSE_SAMPLE"

// some returns the cases that this run takes: all of them, except in a run inside another one.
func some[T any](t testing.TB, all []T) []T {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(sampled), "1"))
	if err != nil {
		t.Fatal(err)
	}
	return seeded.Sample(all, n)
}
