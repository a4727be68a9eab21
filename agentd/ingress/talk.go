package ingress

// talk counts, up to each word, the words that speak about attacks instead of making one.
type talk struct {
	upTo []int // by position
}

// about is how far, in words, talk colours what stands beside it.
const about = 40

// talked prepares the count.
func talked(ws []word) talk {
	if len(ws) == 0 {
		return talk{}
	}
	t := talk{make([]int, ws[len(ws)-1].at+2)}
	for _, w := range ws {
		if w.means&discuss != 0 {
			t.upTo[w.at+1]++
		}
	}
	for i := 1; i < len(t.upTo); i++ {
		t.upTo[i] += t.upTo[i-1]
	}
	return t
}

// calm is how much of a finding's weight is left: a phrase that stands in quotes beside talk of attacks is an example
// of one, and a text full of such talk is likely a lesson.
func (t talk) calm(w word) float64 {
	switch n := t.near(w.at); {
	case w.quoted && n >= 1:
		return 0.25
	case n >= 3:
		return 0.4
	case n == 2:
		return 0.75
	}
	return 1
}

func (t talk) near(at int) int {
	to := min(len(t.upTo)-1, at+about)
	return t.upTo[to] - t.upTo[max(0, at-about)]
}
