package redact

import "bytes"

// cardWords stand before the number of a card that pays.
const cardWords = `kreditkart|credit card|card number|card no|cardnumber|card_number|kartennummer|karten-nr|mastercard|american express|amex|carte bancaire|carte de cr|numéro de carte|tarjeta|carta di credito|numero carta|cartão|creditcard|karta płatn|kredi kart|кредитн|номер карты|カード番号|信用卡|卡号`

// How far from such a word, or from the code on the back of a card, its number stands at most.
const (
	cardAhead  = 60
	cardBehind = 160
)

// openCards are the numbers that companies publish for tests and that have more than a few digits of their own.
var openCards = set(`378282246310005 371449635398431 4012888888881881 5200828282828210 6011000990139424 30569309025904 38520000023237 6011601160116611 2223003122003222`)

// cardBehindWord finds the number of a card behind what it is called, and the four digits on the front of one.
func cardBehindWord(text []byte, i, n int, add func(span)) {
	cardBetween(text, i+n, min(lineEnd(text, i), i+n+cardAhead), add)
}

// cardBeforeCode finds the number of a card before the code on its back.
func cardBeforeCode(text []byte, i, _ int, add func(span)) {
	cardBetween(text, max(0, i-cardBehind), i, add)
}

func cardBetween(text []byte, from, to int, add func(span)) {
	for at := from; at < to; at++ {
		if !isDigit(text[at]) || at > 0 && (isWord(text[at-1]) || among(".-+", text[at-1])) {
			continue
		}
		end := cardEnd(text, at)
		if b := text[at:end]; cardNumber(b) {
			add(span{at, end, -1, "card-number"})
			frontCode(text, end, add)
			return
		}
		at = max(at, end-1)
	}
}

// cardEnd is where digits end that begin at i, with one blank or hyphen between groups of them.
func cardEnd(text []byte, i int) int {
	k := i
	for k < len(text) && k-i < 24 && (isDigit(text[k]) || (text[k] == ' ' || text[k] == '-') && k+1 < len(text) && isDigit(text[k+1])) {
		k++
	}
	if k < len(text) && isWord(text[k]) {
		return i
	}
	for k-i > 19 && (k == len(text) || !isDigit(text[k])) { // a number that follows is none of it
		cut := bytes.LastIndexAny(text[i:k], " -")
		if cut < 0 {
			return k
		}
		k = i + cut
	}
	return k
}

// cardNumber says whether b is the number of a card: so many digits, in groups as on a card, with the digit that proves them.
func cardNumber(b []byte) bool {
	var digits []byte
	seen := map[byte]bool{}
	for _, g := range bytes.FieldsFunc(b, func(r rune) bool { return r == ' ' || r == '-' }) {
		if len(g) != len(b) && len(g) != 4 && len(digits) < 12 && len(g) != 6 && len(g) != 5 {
			return false
		}
		digits = append(digits, g...)
	}
	if len(digits) < 14 || len(digits) > 19 || !among("23456", digits[0]) || openCards[string(digits)] {
		return false
	}
	sum := 0
	for i, c := range digits {
		d := int(c - '0')
		if (len(digits)-i)%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		seen[c] = true
	}
	return sum%10 == 0 && len(seen) > 4
}

// frontCode finds the four digits that some cards have on their front.
func frontCode(text []byte, i int, add func(span)) {
	end := min(lineEnd(text, i), i+cardAhead)
	k := bytes.Index(bytes.ToLower(text[i:end]), []byte("cid"))
	if k < 1 || isWord(text[i+k-1]) {
		return
	}
	at := skipAny(text, i+k+len("cid"), 3, " :=")
	if digits := digitsAt(text, at); digits == 3 || digits == 4 {
		add(span{at, at + digits, -1, "pin"})
	}
}
