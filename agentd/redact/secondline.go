package redact

import "bytes"

// inlineLogin finds the password on the second line of a login that the settings of a tunnel hold: the first is the user.
func inlineLogin(text []byte, i, n int, add func(span)) {
	user := skipAny(text, i+n, 4, " \t\r\n")
	start := skipAny(text, lineEnd(text, user), 4, " \t\r\n")
	end := start
	for end < len(text) && end < start+maxCode && text[end] > ' ' {
		end++
	}
	if b := text[start:end]; start > user && len(b) >= 4 && b[0] != '<' && !placeholder(b) {
		add(span{start, end, -1, kindPassword})
	}
}

// hostToken finds the tokens of an object from the names of hosts to them, as composer keeps them.
func hostToken(text []byte, i, n int, add func(span)) {
	at := i + n
	open := skipAny(text, at, 12, "\": \t\r\n{")
	if open == at || bytes.IndexByte(text[at:open], '{') < 0 {
		return
	}
	stop := open
	for stop < len(text) && stop < open+maxNameRun && (isWord(text[stop]) || among(".-", text[stop])) {
		stop++
	}
	v, ok := readValue(text, skipAny(text, stop, 6, "\": \t"), value{})
	v.start = skipAny(text, v.start, 1, "\"")
	v.end = v.start
	for v.end < len(text) && v.end < v.start+maxQuoted && (isWord(text[v.end]) || text[v.end] == '-') {
		v.end++
	}
	if b := text[v.start:v.end]; ok && stop > open && len(b) >= 20 && !placeholder(b) && (hasDigit(b) || mixedCase(b)) {
		add(span{v.start, v.end, -1, kindToken})
	}
}

// seedFar is how far behind the name of the network a seed of Stellar is looked for, and seedLen how long it is.
const (
	seedFar = 120
	seedLen = 56
)

// stellarSeed finds the seed of an account near the name of the network: the address of one begins with a G.
func stellarSeed(text []byte, i, n int, add func(span)) {
	for at := i + n; at+seedLen <= min(len(text), i+n+seedFar+seedLen); at++ {
		if text[at] != 'S' || isWord(text[at-1]) {
			continue
		}
		b := text[at : at+seedLen]
		if alone(text, at, at+seedLen) && base32Seed(b) && hasDigit(b) {
			add(span{at, at + seedLen, -1, kindToken})
			return
		}
	}
}

// sessionPair finds the id of a session among other pairs of a cookie, whose header was left out.
func sessionPair(text []byte, i, n int, add func(span)) {
	end := i + n
	for end < len(text) && end < i+n+maxNameRun && isWord(text[end]) {
		end++
	}
	b := text[i+n : end]
	paired := i > 1 && text[i-1] == ' ' && text[i-2] == ';' || end+1 < len(text) && text[end] == ';' && text[end+1] == ' '
	if paired && len(b) >= 24 && machineMade(b) {
		add(span{i + n, end, -1, "cookie"})
	}
}
