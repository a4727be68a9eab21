package shell_test

import (
	"cmp"
	"iter"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/seeded"
)

// sampled is set in a run of this package inside another one, which looks at how cases run and not at their results. That
// run takes one case of each so many.
const sampled = "GATEHOUSE_SAMPLE"

// share is how many cases of a long table there are for each one that a run takes.
const share = "10"

// some returns the cases that this run takes, fewer in a run inside another one: each begins processes. The long run
// (GATEHOUSE_SOAK) takes all.
func some[T any](t testing.TB, all []T) []T {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(sampled), share))
	if err != nil {
		t.Fatal(err)
	}
	return seeded.Sample(all, n)
}

// someOf is some of the cases of a table with what is wanted of each.
func someOf[V any](t testing.TB, all map[string]V) iter.Seq2[string, V] {
	t.Helper()
	taken := some(t, slices.Sorted(maps.Keys(all)))
	return func(yield func(string, V) bool) {
		for _, c := range taken {
			if !yield(c, all[c]) {
				return
			}
		}
	}
}

// inner is the argument by which a run inside this one takes one of so many tests, except those that skip names; the long run
// (GATEHOUSE_SOAK) takes all. TestRun_language is always among them.
func inner(t *testing.T, every int, skip string) string {
	t.Helper()
	left := regexp.MustCompile(skip)
	listed, err := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.list=.").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := slices.DeleteFunc(strings.Fields(string(listed)), func(name string) bool {
		return !strings.HasPrefix(name, "Test") || left.MatchString(name)
	})
	if len(names) < 20 {
		t.Fatalf("only these tests are there: %v", names)
	}
	return "-test.run=^(TestRun_language|" + strings.Join(seeded.Sample(names, every), "|") + ")$"
}
