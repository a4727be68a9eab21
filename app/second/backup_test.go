package second_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/app/second"
)

// TestBackup: each code of a set works once and for its own person, however it is typed; wrong ones count as tries.
func TestBackup(t *testing.T) {
	t.Parallel()
	codes, left := second.NewBackup("one")
	if len(codes) != second.BackupCodes || len(left) != len(codes) {
		t.Fatalf("%d codes, %d hashes", len(codes), len(left))
	}
	f := factor(t)
	for i, c := range codes {
		if !second.IsBackup(c) || strings.Contains(strings.Join(left, " "), strings.ReplaceAll(c, "-", "")) {
			t.Errorf("code %d is none, or kept as it is", i)
		}
	}
	rest, err := f.CheckBackup("one", " "+strings.ToUpper(strings.ReplaceAll(codes[3], "-", " "))+" ", left, noon)
	if err != nil || len(rest) != second.BackupCodes-1 {
		t.Fatalf("a code: %v, %d left", err, len(rest))
	}
	if _, err := f.CheckBackup("one", codes[3], rest, noon); !errors.Is(err, second.ErrCode) {
		t.Errorf("the same code again: %v", err)
	}
	if _, err := f.CheckBackup("two", codes[4], rest, noon); !errors.Is(err, second.ErrCode) {
		t.Errorf("somebody else's code: %v", err)
	}
	for range 3 {
		if _, err := f.CheckBackup("one", "", rest, noon); !errors.Is(err, second.ErrCode) {
			t.Errorf("no code: %v", err)
		}
	}
	if _, err := f.CheckBackup("one", codes[5], rest, noon); !errors.Is(err, second.ErrCodeOut) {
		t.Errorf("a right code after five wrong ones: %v", err)
	}
	if err := f.Check(code(t, f, noon), noon); !errors.Is(err, second.ErrCodeOut) {
		t.Errorf("a right code of the app after five wrong backup codes: %v", err)
	}
	later := noon.Add(15 * time.Minute)
	if _, err := f.CheckBackup("one", codes[5], rest, later); err != nil {
		t.Errorf("a quarter of an hour later: %v", err)
	}
}
