package gate

const (
	loopWindow = 30 // calls of a run in which a repeated one is noticed
	loopMost   = 6  // times that a call may have had the same result among them
)

// seen is a call of a run and what came of it; result is empty while it is on its way.
type seen struct{ id, key, result string }

func (t *tally) saw(run string, s seen) {
	last := append(t.calls[run], s)
	t.calls[run] = last[max(0, len(last)-loopWindow):]
}

// comes notes that a call is on its way, and says how often it had the same result before among the last ones.
func (t *tallies) comes(root, run, id, key string) (same int) {
	t.with(root, func(one *tally) {
		counts := map[string]int{}
		for _, s := range one.calls[run] {
			if s.key == key && s.result != "" {
				counts[s.result]++
				same = max(same, counts[s.result])
			}
		}
		one.saw(run, seen{id: id, key: key})
	})
	return same
}

// ends notes what came of a call.
func (t *tallies) ends(r *callRecord) {
	t.with(r.rootRun(), func(one *tally) {
		for i, s := range one.calls[r.Call.RunID] {
			if s.id == r.Call.ID {
				one.calls[r.Call.RunID][i].result = r.resultHash()
			}
		}
	})
}

// loopKey is the same for calls that ask for the same.
func (r *callRecord) loopKey() string { return r.Call.Tool + " " + r.AskedHash }

func (r *callRecord) resultHash() string {
	if !r.ended() {
		return ""
	}
	return string(r.State) + " " + rawHash([]byte(r.Text))
}
