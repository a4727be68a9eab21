package redact

import (
	"bytes"
	"strings"
)

// answers begin what somebody says when asked for something.
var answers = set(`i think was maybe probably ich glaube war hmm think it's its it is this that that's here here's sure try use a: re: das ist es c'est es lautet`)

// answeredBelow finds the answer to a question for what ends at i: What is the password? It's ….
func answeredBelow(text []byte, i int, how strength) (value, bool) {
	at := questionMark(text, i)
	if at >= len(text) || text[at] != '?' {
		return value{}, false
	}
	at = skipAny(text, at+1, 4, " \t\r\n>")
	at = pastSpeaker(text, at)
	for range 6 {
		stop := wordEnd(text, at, min(len(text), at+maxQuoted))
		v := wordAt(text, skipAny(text, at, 1, "\"'`")).emphatic(text)
		if b := text[v.start:v.end]; v.end > v.start && (literal(b, how) || how == password && len(b) >= 8 && coined(b) && closing(text, v)) {
			return v, true
		}
		if !answers[strings.Trim(strings.ToLower(string(text[at:stop])), ",:")] {
			break
		}
		at = skipAny(text, stop, 2, " ")
	}
	return value{}, false
}

// questionMark goes over the rest of a question: … the password of the printer?
func questionMark(text []byte, i int) int {
	for k := i; k < min(len(text), i+60); k++ {
		if text[k] == '?' {
			return k
		}
		if text[k] != ' ' && !isWord(text[k]) && text[k] < 0x80 && text[k] != '-' {
			break
		}
	}
	return i
}

// pastSpeaker goes over what a messenger writes before what somebody says: the time in brackets, a name and a colon.
func pastSpeaker(text []byte, at int) int {
	if at < len(text) && text[at] == '[' {
		if k := bytes.IndexByte(text[at:min(len(text), at+40)], ']'); k > 0 {
			at = skipAny(text, at+k+1, 2, " ")
		}
	}
	return answered(text, at)
}
