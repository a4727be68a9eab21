package welcome_test

import (
	"slices"
	"testing"

	"gatehouse/agentd/team"
	"gatehouse/app/welcome"
)

func TestShown(t *testing.T) {
	t.Parallel()
	done, gone := welcome.Mark{Done: true}, welcome.Mark{Dismissed: true}
	all := func(m welcome.Mark) map[welcome.Task]welcome.Mark {
		marks := map[welcome.Task]welcome.Mark{}
		for _, w := range welcome.KindOf("food").Wins {
			marks[w.Task] = m
		}
		return marks
	}
	for name, c := range map[string]struct {
		state welcome.State
		shown int
	}{
		"all are new":        {welcome.State{Kind: "food", Ready: true}, 5},
		"no team yet":        {welcome.State{Kind: "food"}, 0},
		"put away":           {welcome.State{Kind: "food", Ready: true, PutAway: true}, 0},
		"one done":           {welcome.State{Kind: "food", Ready: true, Marks: map[welcome.Task]welcome.Mark{"write": done}}, 5},
		"one dismissed":      {welcome.State{Kind: "food", Ready: true, Marks: map[welcome.Task]welcome.Mark{"mail": gone}}, 4},
		"nothing left to do": {welcome.State{Kind: "food", Ready: true, Marks: all(done)}, 0},
		"all dismissed":      {welcome.State{Kind: "food", Ready: true, Marks: all(gone)}, 0},
		"another's is done":  {welcome.State{Kind: "food", Ready: true, Marks: map[welcome.Task]welcome.Mark{"files": done}}, 5},
		"an unknown kind":    {welcome.State{Kind: "Zirkus", Ready: true}, 5},
	} {
		if got := c.state.Shown(); len(got) != c.shown {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestKinds: each kind of business has three to five wins, one of them a schedule, all of it in both languages, and a team out of
// agents that the library has.
func TestKinds(t *testing.T) {
	t.Parallel()
	library, err := team.Shipped().IDs()
	if err != nil {
		t.Fatal(err)
	}
	has := func(agent string) bool { return slices.Contains(library, agent) }
	for _, want := range []string{"agency", "shop", "health", "craft", "food", "consultancy"} {
		if !welcome.KnownKind(want) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, k := range welcome.Kinds() {
		if n := len(k.Wins); n < 3 || n > 5 || !slices.ContainsFunc(k.Wins, func(w welcome.Win) bool { return w.When != nil }) {
			t.Errorf("%s has %d wins", k.ID, n)
		}
		texts := []welcome.Text{k.Name}
		for _, w := range k.Wins {
			texts = append(texts, w.Title, w.Hint, w.Text)
			if w.When != nil {
				texts = append(texts, w.When)
			}
			if !has(w.Agent) || !w.Task.Known() {
				t.Errorf("%s: %s is for %s", k.ID, w.Task, w.Agent)
			}
		}
		for _, text := range texts {
			if text["en"] == "" || text["de"] == "" || len(text) != 2 {
				t.Errorf("%s: %v", k.ID, text)
			}
		}
		for _, agent := range k.Team {
			if !has(agent) {
				t.Errorf("%s: there is no agent %s", k.ID, agent)
			}
		}
	}
}
