package chat

import (
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// position is how far a page has come in a conversation: the open runs with the last event shown of each, and the last run
// that the page shows at all, in the order of the server.
type position struct {
	runs   map[string]int64
	newest string
	works  bool // the run that is next to end goes on by itself, without an answer of a person
}

// maxRuns is how many open runs a page follows; a session runs one at a time, the rest are waiting.
const maxRuns = 20

// readPosition reads what String wrote. What cannot be read is left out: the page is then sent more than it needs.
func readPosition(s string) position {
	at := position{runs: map[string]int64{}}
	for word := range strings.SplitSeq(s, ".") {
		run, n, follows := strings.Cut(word, "_")
		if uuid.Validate(run) != nil {
			continue
		}
		if at.newest == "" {
			at.newest = run
		}
		if v, err := strconv.ParseInt(n, 10, 64); follows && err == nil && v >= 0 && len(at.runs) < maxRuns {
			at.runs[run] = v
		}
	}
	return at
}

// String is safe in an address and as the id of an event.
func (p position) String() string {
	words := []string{p.newest}
	for run, n := range p.runs {
		words = append(words, run+"_"+strconv.FormatInt(n, 10))
	}
	return strings.Join(words, ".")
}

// newestOpen is the open run that began last, "" when there is none.
func (p position) newestOpen() string {
	open := ""
	for run := range p.runs {
		open = max(open, run)
	}
	return open
}
