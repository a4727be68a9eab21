package welcome_test

import (
	"testing"

	"gatehouse/app/welcome"
)

func TestShown(t *testing.T) {
	t.Parallel()
	done, gone := welcome.Mark{Done: true}, welcome.Mark{Dismissed: true}
	for name, c := range map[string]struct {
		ready bool
		marks map[welcome.Task]welcome.Mark
		shown int
	}{
		"all are new":        {true, nil, 3},
		"no team yet":        {false, nil, 0},
		"one done":           {true, map[welcome.Task]welcome.Mark{welcome.Write: done}, 3},
		"one dismissed":      {true, map[welcome.Task]welcome.Mark{welcome.Mail: gone}, 2},
		"nothing left to do": {true, map[welcome.Task]welcome.Mark{welcome.Write: done, welcome.Mail: gone, welcome.Files: done}, 0},
		"all dismissed":      {true, map[welcome.Task]welcome.Mark{welcome.Write: gone, welcome.Mail: gone, welcome.Files: gone}, 0},
	} {
		if got := (welcome.State{Ready: c.ready, Marks: c.marks}).Shown(); len(got) != c.shown {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
