package redact

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Of what is said after a question for a password so much is read.
const (
	talkLines = 6
	talkBytes = 480
	talkWords = 9
)

// asked finds what people answer when somebody in a conversation asks for a password: in the next messages, wherever in them.
func asked(text []byte, i, n int, add func(span)) {
	end := lineEnd(text, i)
	from := lineStart(text, i)
	if end-from > 240 || end >= len(text) || speaker(text, end+1) == end+1 || !question(text[i+n:end]) && !arrow(text, end+1) {
		return
	}
	limit := min(len(text), end+talkBytes)
	for line := 0; line < talkLines && end+1 < limit; line++ {
		start := end + 1
		end = min(lineEnd(text, start), limit)
		at := speaker(text, start)
		if at == start {
			return // no conversation
		}
		message(text[:end], at, speaker(text, from) > from || arrow(text, start), add)
	}
}

// question says whether the rest of a line asks.
func question(rest []byte) bool {
	return bytes.IndexByte(rest, '?') >= 0 || mentions(rest, asking...)
}

// asking are signs and words that end a question where people leave out its sign, or write another.
var asking = []string{"？", "؟", "\u037e", "呢", "吗", "嗎", "多少", "什么", "什麼", "でしたっけ", "ですか", "教えて", "뭐", "알려", " pls", " please", " plz", " stp", " svp", " bitte", " por favor", " per favore", " proszę", " tack", " пожалуйста", " asap"}

// arrow says whether a message stands at i that begins with an arrow.
func arrow(text []byte, i int) bool {
	return i < len(text) && (bytes.HasPrefix(text[i:], []byte("→ ")) || bytes.HasPrefix(text[i:], []byte("-> ")))
}

// speaker is where a message of a conversation begins in the line at i, behind the time, a name and a colon; i when it is none.
func speaker(text []byte, i int) int {
	at := i
	if i < len(text) && text[i] == '[' {
		if k := bytes.IndexByte(text[i:min(len(text), i+40)], ']'); k > 0 {
			at = skipAny(text, i+k+1, 2, " ")
		}
	}
	if arrow(text, at) {
		return at + bytes.IndexByte(text[at:], ' ') + 1
	}
	if at >= len(text) || at == i && class[text[at]]&clsUpper == 0 && text[at] < 0x80 {
		return i // the names of settings begin with a small letter
	}
	for k := at; k < min(len(text), at+40); {
		r, size := utf8.DecodeRune(text[k:])
		switch {
		case r == ':' && k > at && k+1 < len(text) && text[k+1] == ' ':
			return k + 2
		case r == '：' && k > at:
			return k + size
		case !unicode.IsLetter(r) && r != ' ' && r != '.':
			return i
		}
		k += size
	}
	return i
}

// message finds the passwords in what somebody says, up to the end of text, who was asked for one.
func message(text []byte, at int, answer bool, add func(span)) {
	told, end := false, len(text)
	for words := 0; words < talkWords && at < end; words++ {
		stop := wordEnd(text, at, end)
		v := wordAt(text, skipAny(text, at, 1, "\"'`*")).emphatic(text)
		v.end = asciiEnd(text, v)
		b := text[v.start:v.end]
		low := strings.Trim(strings.ToLower(string(text[at:stop])), ",:'")
		switch {
		case v.end <= v.start:
		case composed(b) && class[b[0]]&(clsLower|clsUpper|clsDigit) != 0 && !ofTalk(b):
			add(span{v.start, v.end, -1, kindPassword})
		case words == 0 && answer && toldNumber(b) && len(b) <= 8 && (endsClause(text, v.end) || text[v.end] >= 0x80):
			add(span{v.start, v.end, -1, "pin"})
		case told && oneWord(b) && endsClause(text, v.end):
			add(span{v.start, v.end, -1, kindPassword})
			return
		}
		told = told && pauses[low] || sayIt[low]
		at = skipAny(text, stop, 3, " \t")
	}
}

// ofTalk says whether b is what people speak of otherwise: a machine, a ticket, a program that keeps passwords.
func ofTalk(b []byte) bool {
	n := 0
	for n < len(b) && isLetter(b[n]) {
		n++
	}
	low := strings.ToLower(string(b[:n]))
	ticket := n >= 2 && n <= 6 && bytes.Equal(b[:n], bytes.ToUpper(b[:n])) && isDigits(bytes.TrimLeft(b[n:], "-#"))
	return ticket || machineWords[low] || bytes.EqualFold(b, []byte("1password"))
}

// asciiEnd is where v ends when a script without blanks goes on right behind it.
func asciiEnd(text []byte, v value) int {
	for k := v.start; k < v.end && text[v.start] < 0x80; k++ {
		if text[k] >= 0xE3 {
			return k
		}
	}
	return v.end
}

// sayIt begins an answer that is nothing but the word, and pauses are made before it.
var (
	sayIt  = set(`it's its c'est`)
	pauses = set(`uh um erm er hm hmm euh äh ähm eh ehm yes just`)
)

// oneWord says whether b is a word of small letters that answers nothing but what the password is.
func oneWord(b []byte) bool {
	low := strings.ToLower(string(b))
	return len(b) >= 5 && len(b) <= 24 && letters(b) && b[0] < 0x80 && !statusWords[low] && !proseWords[low] && !genericValue[low] && !stopWords[low] && !uncertain[low] && !calendarWords[low] && !placeholder(b)
}
