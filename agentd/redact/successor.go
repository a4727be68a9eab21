package redact

// handovers stand between a password and the one that takes its place.
var handovers = []string{
	"to ", "-> ", "--> ", "→ ", "=> ", "auf ", "nach ", "zu ", "en ", "a ", "naar ", "till ", "new one is ", "the new one is ", "new is ", "new: ", "now ",
	"jetzt ", "neu: ", "das neue ist ", "das neue lautet ", "and the new one is ", "and now ",
}

// predecessor is the password that a sentence says was there before: … from one to another.
func predecessor(text []byte, at int) (value, bool) {
	for _, p := range [][2]string{{"from ", " to "}, {"von ", " auf "}, {"de ", " à "}, {"de ", " a "}, {"da ", " a "}, {"van ", " naar "}, {"från ", " till "}, {"z ", " na "}} {
		if !hasFold(text[at:], p[0]) {
			continue
		}
		v := wordAt(text, skipAny(text, at+len(p[0]), 1, "\"'`")).emphatic(text)
		at := skipAny(text, v.end, 1, "\"'`")
		if b := text[v.start:v.end]; v.end == v.start || !hasFold(text[at:], p[1]) || !coined(b) && !strongWord(b) {
			continue
		}
		next := wordAt(text, skipAny(text, at+len(p[1]), 1, "\"'`")).emphatic(text)
		if b := text[next.start:next.end]; coined(b) || strongWord(b) {
			return v, true
		}
	}
	return value{}, false
}

// successor finds the password that takes the place of v: … changed from one to the other.
func successor(text []byte, v value, add func(span)) {
	at := skipAny(text, v.after(), 3, " ,;.)")
	if at == v.after() {
		return
	}
	for _, h := range handovers {
		if !hasFold(text[at:], h) {
			continue
		}
		w, ok := readValue(text, skipAny(text, at+len(h), 2, " `*"), value{prose: true})
		if b := text[w.start:w.end]; ok && (strongWord(b) || coined(b) && (w.quoted || phrased(b))) {
			w = w.emphatic(text)
			add(span{w.start, w.end, -1, kindPassword})
		}
		return
	}
}
