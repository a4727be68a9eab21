package limit

import "fmt"

const (
	// LoopWindow is how many calls of a run are searched for a repeated one.
	LoopWindow = 30
	// loopMost is how often a call may have had the same result among them.
	loopMost = 6
)

// call is a call of a run and its result, which is empty while the call is on its way.
type call struct{ id, key, result string }

func (t *tree) add(run string, c call) {
	last := append(t.calls[run], c)
	t.calls[run] = last[max(0, len(last)-LoopWindow):]
}

// Begin notes that a call is on its way, and refuses one that keeps having the same result.
func (t *Trees) Begin(root, run, id, key string) *Exceeded {
	same := 0
	t.with(root, func(one *tree) {
		counts := map[string]int{}
		for _, c := range one.calls[run] {
			if c.key == key && c.result != "" {
				counts[c.result]++
				same = max(same, counts[c.result])
			}
		}
		one.add(run, call{id: id, key: key})
	})
	if same < loopMost {
		return nil
	}
	return &Exceeded{
		Kind: "loop",
		Why:  fmt.Sprintf("the same call had the same result %d times among the last %d", same, LoopWindow),
		Text: fmt.Sprintf("This exact call has had the same result %d times; it was not made again. "+
			"Answer with what you know, or say what is in the way.", same),
	}
}

// End notes the result of a call.
func (t *Trees) End(root, run, id, result string) {
	t.with(root, func(one *tree) {
		for i, c := range one.calls[run] {
			if c.id == id {
				one.calls[run][i].result = result
			}
		}
	})
}
