package ingress

// Sizes of windows, in words and sentences. One sentence among many must stand out, and a thought often needs two.
const (
	longestSentence = 40
	shortLine       = 12 // a line with fewer words goes on in the next one
	widest          = 3  // sentences in a window
)

// window is a range of words that is judged by itself.
type window struct{ from, to int }

// windows cuts words into sentences and gives every row of one to three of them.
func windows(ws []word) (all []window) {
	ends := sentences(ws)
	for i := range ends {
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		for n := i; n < min(i+widest, len(ends)); n++ {
			all = append(all, window{from, ends[n]})
		}
	}
	return all
}

// sentences gives where each sentence ends.
func sentences(ws []word) (ends []int) {
	from := 0
	for i := 1; i < len(ws); i++ {
		gap, long := ws[i].at-ws[i-1].at, i-from
		if gap >= 4 || gap >= 2 && long >= shortLine || long >= longestSentence {
			ends, from = append(ends, i), i
		}
	}
	if len(ws) > 0 {
		ends = append(ends, len(ws))
	}
	return ends
}
