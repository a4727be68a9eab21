package redact

import "strings"

// linkWords stand between a secret and what a sentence calls it: … is the password, use … as the token.
var linkWords = set(`as is als ist comme est como es come è jako to jest som är er on é olarak is: being that's thats that’s`)

// saidBefore finds the word that a sentence calls by the name at i.
func saidBefore(text []byte, i int, how strength) (value, bool) {
	at := i
	for range 4 {
		if at < 2 || text[at-1] != ' ' {
			return value{}, false
		}
		from := wordStart(text, at-1)
		if linkWords[strings.ToLower(string(text[from:at-1]))] {
			return tellingBefore(text, from, how)
		}
		at = from
	}
	return value{}, false
}

// tellingBefore is the word that ends before i, when it can be nothing but a secret.
func tellingBefore(text []byte, i int, how strength) (value, bool) {
	end := i
	for end > 0 && i-end < 3 && among(" \"'`*,-", text[end-1]) {
		end--
	}
	start := end
	for start > 0 && end-start < maxQuoted && text[start-1] > ' ' && !among("\"'`", text[start-1]) {
		start--
	}
	for start < end && text[start] == '*' {
		start++
	}
	v := value{start: start, end: end, prose: true}
	if how == pin {
		return codeOf(text, v)
	}
	b := text[start:end]
	if how == password && start > 0 && usingWords[strings.ToLower(string(text[wordStart(text, start-1):start-1]))] && literal(b, how) {
		return v, true
	}
	return v, end < i && (strongWord(b) || how >= token && len(b) >= minTail && machineMade(b) || how >= token && len(b) >= 16 && literal(b, how) || how == password && coined(b) && phrased(b) && (letters(b[:1]) || marked(b)))
}

// codeOf is the number of a word, which may have a letter and a hyphen before it.
func codeOf(text []byte, v value) (value, bool) {
	if v.end-v.start > 2 && text[v.start+1] == '-' && isLetter(text[v.start]) {
		v.start += 2
	}
	n := v.end - v.start
	return v, n >= 4 && n <= 8 && isDigits(text[v.start:v.end])
}

// otherCodes are numbers that open nothing.
var otherCodes = set(`postal zip error status exit country area product discount coupon promo promotion qr bar source sort swift bank item article order tracking customer tax
	response return http reference dial dialing voucher gift invitation invite booking flight airport currency language color colour hs cpt icd rate fare class failure result
	reason event op opcode char key keyboard scan machine byte native dress building course subject cost`)

// statedCode finds the six digits of a sentence that says what a code is.
func statedCode(text []byte, i, n int, add func(span)) {
	if i < 2 || text[i-1] != ' ' || otherCodes[strings.ToLower(string(text[wordStart(text, i-1):i-1]))] {
		return
	}
	v := wordAt(text, skipAny(text, i+n, 2, " *`\""))
	if c, ok := codeOf(text, v); ok && c.end-c.start == 6 {
		add(span{c.start, c.end, -1, "pin"})
	}
}

// enteredCode finds the number that somebody is to enter: … to verify your account.
func enteredCode(text []byte, i, _ int, add func(span)) {
	v, ok := tellingBefore(text, i, pin)
	if !ok || v.start < 2 {
		return
	}
	if w := strings.ToLower(string(text[wordStart(text, v.start-1) : v.start-1])); w == "enter" || w == "use" || w == "code" || w == "type" || w == "code:" || w == "pin" {
		add(span{v.start, v.end, -1, "pin"})
	}
}

// wordStart is where the word begins that ends at i.
func wordStart(text []byte, i int) int {
	k := i
	for k > 0 && i-k < 40 && text[k-1] > ' ' {
		k--
	}
	return k
}
