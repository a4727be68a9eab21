package redact

// stated finds the word behind a name and a preposition that names of machines stand behind too.
func stated(text []byte, i, n int, add func(span)) {
	v := wordAt(text, skipAny(text, i+n, 2, "\"'`*")).emphatic(text)
	if b := text[v.start:v.end]; v.end > v.start && (coined(b) && (marked(b) || numbered(b)) || strongWord(b) && hasDigit(b)) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// isSaid finds the word behind a name and a verb that is a preposition in other languages.
func isSaid(text []byte, i, n int, add func(span)) {
	if i > 0 && isWord(text[i-1]) {
		return
	}
	v := wordAt(text, skipAny(text, i+n, 2, "\"'`*")).emphatic(text)
	if b := text[v.start:v.end]; v.end > v.start && (coined(b) || strongWord(b)) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// renewed finds what somebody gives in place of an old password.
func renewed(text []byte, i, n int, add func(span)) {
	if v, ok := tellingWord(text, skipAny(text, i+n, 1, "\"'")); ok {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// chosenAs finds the word that somebody says to have taken for a password.
func chosenAs(text []byte, i, n int, add func(span)) {
	v := wordAt(text, skipAny(text, i+n, 2, "\"'`*")).emphatic(text)
	if b := text[v.start:v.end]; v.end > v.start && (coined(b) && (phrased(b) || mixedCase(b) && !ofMachine(b)) || strongWord(b)) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// shortNamed is foreign for a name of two letters with the word behind it that says for what it is.
func shortNamed(text []byte, i, n int, add func(span)) {
	if i == 0 || !isWord(text[i-1]) {
		foreign(password)(text, i, 2, add)
	}
}
