package chat

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

func TestPosition_isReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := position{runs: map[string]int64{}}
		for range rapid.IntRange(0, 5).Draw(t, "runs") {
			run := uuid.Must(uuid.NewV7()).String()
			at.newest = max(at.newest, run)
			if rapid.Bool().Draw(t, "open") {
				at.runs[run] = rapid.Int64Range(0, 1<<40).Draw(t, "n")
			}
		}
		got := readPosition(at.String())
		if got.newest != at.newest || !maps.Equal(got.runs, at.runs) {
			t.Fatalf("%q is read as %+v, was %+v", at, got, at)
		}
	})
}

func TestPosition_takesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		got := readPosition(rapid.String().Draw(t, "s"))
		for run, n := range got.runs {
			if uuid.Validate(run) != nil || n < 0 {
				t.Fatalf("took %q at %d", run, n)
			}
		}
	})
	many := strings.Repeat("01939b5e-0000-7000-8000-000000000001_1.", 500)
	if got := readPosition(many); len(got.runs) > maxRuns {
		t.Errorf("follows %d runs", len(got.runs))
	}
}
