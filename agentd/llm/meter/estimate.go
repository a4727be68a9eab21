package meter

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tiktoken-go/tokenizer/codec"
)

// vocabulary is loaded with the first answer that takes a while, or that does not say what it used: it takes 7 MB.
var vocabulary = sync.OnceValue(func() *codec.Codec {
	defer loaded.Store(true)
	return codec.NewO200kBase()
})

var loaded atomic.Bool

const (
	// chunk is how much is counted at once, in bytes: the time for a word without end grows with the square of its length.
	chunk = 2 << 10
	// maxExact is how much of a text is counted; for the rest the same share is taken.
	maxExact = 1 << 20
	// perToken is about how many bytes a token has, where there is no text to count.
	perToken = 4
)

// Estimate counts the tokens of a text as a common model does. It does not know the model's own vocabulary: the figure is
// good to about a fifth, and always marked as an estimate.
func Estimate(text string) int64 {
	if text == "" {
		return 0
	}
	rest := len(text) - maxExact
	if rest > 0 {
		text = text[:maxExact]
	}
	var n int64
	for piece := range pieces(text) {
		n += count(piece)
	}
	if rest > 0 {
		n += n * int64(rest) / int64(len(text))
	}
	return used(n)
}

func count(piece string) int64 {
	n, err := vocabulary().Count(piece)
	if err != nil {
		return fromBytes(int64(len(piece)))
	}
	return int64(n)
}

// pieces cuts a text into chunks, between words where there are some.
func pieces(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > chunk {
			end := strings.LastIndexByte(text[:chunk], ' ')
			if end <= 0 {
				end = chunk
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
		yield(text)
	}
}

// fromBytes is an estimate where nothing is left but the length of a text.
func fromBytes(n int64) int64 { return used((max(n, 0) + perToken - 1) / perToken) }

// tally counts a text that grows, without counting its beginning again.
type tally struct {
	upTo   int // bytes of the text that are counted
	tokens int64
}

// count is how many tokens the text has, which begins as it did at the time before.
func (t *tally) count(text string, exact bool) int64 {
	if !exact {
		return t.tokens + fromBytes(int64(len(text)-t.upTo))
	}
	if end := t.upTo + strings.LastIndexByte(text[t.upTo:], ' '); end > t.upTo {
		t.tokens, t.upTo = t.tokens+Estimate(text[t.upTo:end]), end
	} else if len(text)-t.upTo > chunk {
		t.tokens, t.upTo = t.tokens+Estimate(text[t.upTo:]), len(text)
	}
	return t.tokens + Estimate(text[t.upTo:])
}
