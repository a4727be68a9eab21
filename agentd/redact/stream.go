package redact

import (
	"bytes"
	"unicode/utf8"
)

// Stream redacts text that comes in pieces. Write gives what may leave so far; Flush gives the rest. What could still
// become part of a secret is held back: the word that is being written, a line behind a word that announces a secret, a
// beginning of something known, a private key.
type Stream struct {
	e       *Engine
	behind  []byte // what has left, redacted or not, as the context of what follows
	held    []byte
	scanned int // length of held when it was scanned last
}

const (
	streamContext = 512      // bytes before the held ones that are read with them
	streamHold    = 32 << 10 // bytes that are held back at most
	lineHold      = 256      // bytes of a line that are held behind an announcing word
)

// Stream begins a stream.
func (e *Engine) Stream() *Stream { return &Stream{e: e} }

// Write takes the next piece and gives what may leave.
func (s *Stream) Write(piece string) string {
	s.held = append(s.held, piece...)
	if len(s.held) < s.scanned+s.scanned/16 && len(s.held) <= streamHold {
		return "" // too little is new to look again
	}
	return s.release(false)
}

// Flush gives what was held back. The stream can go on afterwards.
func (s *Stream) Flush() string { return s.release(true) }

// release scans what is held with its context and lets go of what is safe.
func (s *Stream) release(all bool) string {
	if len(s.held) == 0 {
		return ""
	}
	st := s.e.state.Load()
	n := len(s.behind)
	text := append(bytes.Clone(s.behind), s.held...)
	spans, err := st.scan(text, full)
	if err != nil {
		s.held, s.behind, s.scanned = nil, nil, 0
		return unscanned
	}
	safe := len(text)
	if !all {
		safe = st.safe(text, n, spans)
	}
	out := s.emit(st, text, n, safe, spans)
	s.behind = append(s.behind[:0], text[max(0, safe-streamContext):safe]...)
	s.held = append(s.held[:0], text[safe:]...)
	s.scanned = len(s.held)
	return out
}

// emit writes text from n to safe with its findings replaced.
func (s *Stream) emit(st *state, text []byte, n, safe int, spans []span) string {
	var cut []span
	for _, f := range spans {
		f.start, f.end = max(f.start, n)-n, min(f.end, safe)-n
		if f.start < f.end {
			cut = append(cut, f)
		}
	}
	return s.e.rewrite(st, string(text[n:safe]), cut)
}

// safe is how far text may leave, when everything before n has left.
func (st *state) safe(text []byte, n int, spans []span) int {
	at := wordBefore(text, n)
	at = min(at, st.announcedLine(text, n), st.begun(text, n), armorBegun(text, n), pairsBegun(text, n))
	for moved := true; moved; { // a finding leaves as a whole
		moved = false
		for _, f := range spans {
			if f.start < at && f.end > at || f.end == len(text) && f.start < at {
				at, moved = f.start, true
			}
		}
	}
	at = max(n, at)
	if len(text)-at > streamHold {
		at = st.forced(text, spans)
	}
	return at
}

// forced is how far text leaves when too much is held: everything but its end, and no finding is cut.
func (st *state) forced(text []byte, spans []span) int {
	at := len(text) - streamHold/2
	for _, f := range spans {
		if f.start < at && f.end > at {
			at = min(f.end, len(text))
		}
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// wordBefore is where the last word of text begins; words joined by a line end count as one when they could be wrapped
// base64.
func wordBefore(text []byte, n int) int {
	at := len(text)
	for at > n && (!isSpace(text[at-1]) || at > n+1 && text[at-2] == '\\') {
		at--
	}
	for at > n+1 {
		k := at
		for k > n && class[text[k-1]]&clsSpace != 0 {
			k--
		}
		word := k
		for word > n && !isSpace(text[word-1]) {
			word--
		}
		if k-word < 16 || bytes.IndexByte(text[k:at], '\n') < 0 && k-word < 20 {
			break
		}
		at = word
	}
	return at
}

// pairsBegun is where the words begin at the end of text that are pairs of hexadecimal digits or small numbers, as lists of
// bytes have.
func pairsBegun(text []byte, n int) int {
	at := len(text)
	for {
		end := at
		for end > n && isSpace(text[end-1]) {
			end--
		}
		start := end
		for start > n && !isSpace(text[start-1]) && end-start <= maxPair {
			start--
		}
		if start == end || !pairWord(text[start:end]) {
			return at
		}
		at = start
	}
}

// maxPair is how long a word of a list of bytes is at most: a number, what says that it is one, and signs around.
const maxPair = 12

// pairLeads are what may stand before the digits of a byte or character.
var pairLeads = []string{"0x", "\\x", "0o", "u+"}

// pairWord says whether b can be a byte of a list, or the beginning of one.
func pairWord(b []byte) bool {
	const signs = "\"'`,;:|{}()[]+-.&/_"
	b = bytes.TrimLeft(b, signs)
	most := 2
	for _, lead := range pairLeads {
		if len(b) < len(lead) && hasFold([]byte(lead), string(bytes.ToLower(b))) {
			return true
		}
		if hasFold(b, lead) {
			b, most = bytes.TrimLeft(b[len(lead):], signs), 6
		}
	}
	b = bytes.TrimRight(b, signs)
	return len(b) <= maxNumber && isDigits(b) || len(b) <= most && digitsAt(b, 0) == len(b)
}

// maxNumber is how many digits the number of a byte has at most, in tens or eights.
const maxNumber = 4

// announcedLine is where a word begins that announces a secret on the last line, if it is near its end.
func (st *state) announcedLine(text []byte, n int) int {
	line := max(n, bytes.LastIndexByte(text, '\n')+1, len(text)-lineHold)
	at := len(text)
	low := max(0, line-maxNameRun)
	st.rules.sieve.each(text[low:], func(i int, group uint32) {
		if k := st.rules.index.get(group); k >= 0 && low+i < at && low+i >= low {
			for _, w := range st.rules.lists[k] {
				if word := &st.rules.words[w]; !word.form && hasFold(text[low+i:], word.word) {
					at = min(at, max(line, low+i))
				}
			}
		}
	})
	return at
}

// begun is where something known could have begun at the end of text.
func (st *state) begun(text []byte, n int) int {
	if st.reg.longest == 0 {
		return len(text)
	}
	low := max(n, len(text)-8*st.reg.longest)
	tail := text[low:wholeRunes(text, low)]
	solid := make([]byte, len(tail))
	kept, marks, _ := compactMarked(solid, tail)
	solid = solid[:kept]
	p := positions{source: tail, marks: marks}
	for i := range solid {
		if st.reg.begins(solid[i:]) {
			at, _ := p.back(i, i+1)
			return low + at
		}
	}
	return len(text)
}

// wholeRunes is where text ends without the character that has only begun: nobody knows yet whether it is one that counts.
func wholeRunes(text []byte, low int) int {
	for at := len(text) - 1; at >= max(low, len(text)-utf8.UTFMax); at-- {
		if utf8.RuneStart(text[at]) {
			if utf8.FullRune(text[at:]) {
				break
			}
			return at
		}
	}
	return len(text)
}

// begins says whether b is the beginning of a variant, and not all of it.
func (r *registry) begins(b []byte) bool {
	for _, k := range r.heads[b[0]|0x20] {
		v := &r.variants[k]
		if len(b) < len(v.form) && equalFold(b, v.form[:len(b)]) {
			return true
		}
	}
	return false
}

func equalFold(a, b []byte) bool {
	for i, c := range a {
		if c|0x20 != b[i]|0x20 {
			return false
		}
	}
	return true
}

// armorBegun is where a private key begins that has not ended.
func armorBegun(text []byte, n int) int {
	k := bytes.LastIndex(text, []byte("-----BEGIN "))
	if k < 0 || bytes.Contains(text[k:], []byte("-----END ")) {
		return len(text)
	}
	return max(n, k)
}
