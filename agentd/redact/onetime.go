package redact

import (
	"bytes"
	"strings"
)

// otpStems are what messages call a code that holds for minutes, where a number follows.
const otpStems = `code |kod |код|од: |од — |codice |código |koden |kode |koodi |kód |cod |tan `

// warnings stand in messages with a code: who gets one must not pass it on, and use it soon.
var warnings = []string{"никому", "нікому", "nikomu", "not share", "n't share", "never share", "scade", "expire", "caduca", "valid", "valable", "gültig", "ważny", "minut", "weitergeben", "compart", "condivid", "divulg", "communiquez", "deel ", "dela ", "potwierdz", "confirm", "temporane", "przelew", "paiement", "valider", "bonifico", "operac", "zaloguj", "logowania", "anmeld", "accedere", "podawaj", "udostępn", "para entrar"}

// oneTime finds the code of a message that says it holds for minutes, or what it confirms.
func oneTime(text []byte, i, n int, add func(span)) {
	if i > 0 && (isWord(text[i-1]) || among("_$./=<\"'({&?", text[i-1])) {
		return
	}
	if i > 1 && otherCodes[strings.ToLower(string(text[wordStart(text, i-1):i-1]))] {
		return
	}
	line := min(lineEnd(text, i), i+n+90)
	rest := text[i:min(lineEnd(text, i), i+200)]
	if !mentions(rest, warnings...) || mentions(rest, "error", "status", "http", "zip", "postal", "page") {
		return
	}
	for k := i + n - 1; k < line; k++ {
		if !isDigit(text[k]) || text[k-1] != ' ' {
			continue
		}
		v, ok := codeGroup(text, k, line)
		if ok && isDigits(bytes.ReplaceAll(text[v.start:v.end], []byte(" "), nil)) && !yearLike(text, v) && otpSaid(text, i+n, v) {
			add(span{v.start, v.end, -1, "pin"})
			return
		}
		for k < line && text[k] > ' ' {
			k++
		}
	}
}

// otpSaid says whether a number stands right behind the word code, or behind a verb or a colon that says what it is.
func otpSaid(text []byte, from int, v value) bool {
	between := bytes.TrimRight(text[min(from, v.start):v.start], " ")
	if len(between) == 0 || among(":", between[len(between)-1]) {
		return codeEnds(text, v) || v.end-v.start >= 5
	}
	last := between[bytes.LastIndexByte(between, ' ')+1:]
	return (isCopula(last) || toldWords[string(last)]) && (codeEnds(text, v) || v.end-v.start == 6)
}

// spelledOut finds a number that is given digit by digit.
func spelledOut(text []byte, i, n int, add func(span)) {
	line := min(lineEnd(text, i), i+n+80)
	k := bytes.IndexByte(text[i+n:line], ':')
	if k < 0 {
		return
	}
	at := skipAny(text, i+n+k+1, 2, " \u00a0")
	stop, digits := at, 0
	for stop < len(text) && isDigit(text[stop]) && (stop+1 == len(text) || !isWord(text[stop+1])) {
		digits++
		if stop++; stop+1 < len(text) && among(" -", text[stop]) && isDigit(text[stop+1]) {
			stop++
			continue
		}
		break
	}
	if digits >= 4 && digits <= 10 {
		add(span{at, stop, -1, "pin"})
	}
}

// spelling are the words with which somebody gives a number digit by digit.
const spelling = `dígito a dígito|digit by digit|chiffre par chiffre|ziffer für ziffer|cifra per cifra|cijfer voor cijfer|cyfra po cyfrze|siffra för siffra|один за другим|cifra por cifra|número a número`

// shownCode finds the number that a page shows in an element of its own behind the name of a code.
func shownCode(text []byte, i, _ int, add func(span)) {
	near := text[max(0, i-40):i]
	if near = near[bytes.LastIndexByte(near, '>')+1:]; !mentions(near, "code", "kode", "kod", "código", "codice", "pin", "код", "otp") || !mentions(near, ownWords...) && !mentions(near, "zugang", "access", "accès", "acces", "login", "anmelde", "security", "sicherheit", "einmal", "one-time", "temporar", "toegang", "dostęp", "доступ") {
		return
	}
	at, limit := i+1, min(len(text), i+240)
	for tags := 0; tags < 6 && at < limit && text[at] == '<'; tags++ {
		k := bytes.IndexByte(text[at:limit], '>')
		if k < 0 {
			return
		}
		at = skipAny(text, at+k+1, 8, " \r\n\t")
	}
	stop := skipAny(text, at, 9, "0123456789")
	if n := stop - at; n >= 4 && n <= 8 && stop < len(text) && text[stop] == '<' {
		add(span{at, stop, -1, "pin"})
	}
}

// pinNow finds the number behind a pin that sentences give a new value.
func pinNow(text []byte, i, n int, add func(span)) {
	v := wordAt(text, i+n)
	if b := text[v.start:v.end]; len(b) >= 4 && len(b) <= 8 && isDigits(b) && codeEnds(text, v) {
		add(span{v.start, v.end, -1, "pin"})
	}
}

// pinOf finds the number at the end of a clause that begins with a pin and says whose it is.
func pinOf(text []byte, i, n int, add func(span)) {
	line := min(lineEnd(text, i), i+n+60)
	for k := i + n; k < line && !among(".,;:?!", text[k]); k++ {
		if !isDigit(text[k]) || text[k-1] != ' ' {
			continue
		}
		if v := wordAt(text, k); v.end-k >= 4 && v.end-k <= 8 && isDigits(text[k:v.end]) && endsClause(text, v.end) {
			add(span{k, v.end, -1, "pin"})
		}
		return
	}
}
