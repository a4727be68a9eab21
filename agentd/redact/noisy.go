package redact

import "bytes"

// noisy says whether a text in quotes is made of letters, digits and signs without order, as keys of frameworks and salts
// are: no sentence, no expression, no path.
func noisy(b []byte) bool {
	if len(b) < 24 || len(b) > maxJudged || placeholder(b) || linkish(b) {
		return false
	}
	for _, s := range []string{"[A-", "[a-", "[0-", "(?", `\\`, "${", "{{", "()", "</", "=>", ": ", ", ", `":`, `" `, "&limit", "%["} {
		if bytes.Contains(b, []byte(s)) {
			return false
		}
	}
	if k := bytes.Index(b, []byte("%s")); k >= 0 && (k+2 == len(b) || !isWord(b[k+2])) {
		return false // a place to be filled
	}
	var digits, signs, blanks, row, longest int
	for _, c := range b {
		switch {
		case isDigit(c):
			digits++
		case c == ' ':
			blanks++
		case !isLetter(c):
			signs++
		}
		if row++; !isLetter(c) {
			row = 0
		}
		longest = max(longest, row)
	}
	return digits >= 2 && signs >= 3 && 10*blanks <= len(b) && (longest <= 9 || !wordy(b)) && entropy(b) >= 3.9
}
