package redact

import "bytes"

// withWords stand before the number with which somebody opens or silences what the line names.
const withWords = ` con | mit | med | avec | with | met | com | kodem | с помощью `

// keptWords are places that open with a number written beside them.
const keptWords = `keybox|key box|lockbox|key safe|schlüsselbox|schlüsseltresor|schlüsselsafe|nøgleboks|nøkkelboks|nyckelbox|nyckelskåp|sleutelkluis|sleutelkastje|boîte à clé|coffre-fort|caja de llaves|caja fuerte|cassetta delle chiavi|cassaforte|cofre de chaves
	|skrzynka na klucze|sejf|tresor|kluis|kassaskåp|ейф|игнализаци|омофон|ключниц|αζούρα|trezor|avainboksi|kulcsdoboz`

// acts are what the number does.
var acts = []string{"abr", "apr", "open", "ouvr", "öffn", "aufgeh", "aufmach", "schalt", "entschärf", "desactiv", "désactiv", "disattiv", "deactivat", "disarm", "slås", "slår", "stäng", "åbn", "åpn", "öppn", "otwier", "rozbraj", "uitgeschak", "uitzet", "uit met", "deaktiv", "unlock", "déverrou", "sbloc", "desbloq", "aus mit", "turn off", "turns off", "goes off", "coupe"}

// openedWith finds the number that a line says to open something with.
func openedWith(text []byte, i, n int, add func(span)) {
	if i+n >= len(text) || !isDigit(text[i+n]) {
		return
	}
	v, ok := codeGroup(text, i+n, lineEnd(text, i))
	if !ok || !openEnds(text, v) || yearLike(text, v) {
		return
	}
	near := text[max(lineStart(text, i), i-90):min(lineEnd(text, i), v.end+40)]
	if mentions(near, barWords...) && mentions(near, acts...) {
		add(span{v.start, v.end, -1, "pin"})
	}
}

// openEnds is codeEnds for sentences whose verb goes on behind the number.
func openEnds(text []byte, v value) bool {
	if codeEnds(text, v) {
		return true
	}
	next := text[min(len(text), v.end):min(len(text), v.end+8)]
	for _, w := range []string{" ab.", " ab\n", " ab,", " aus", " inden", " inom", " within", " before", " from", " von", " ab "} {
		if hasFold(next, w) {
			return true
		}
	}
	return string(next) == " ab"
}

// keptBehind finds the number that stands right behind what it opens.
func keptBehind(text []byte, i, n int, add func(span)) {
	at := i + n
	for at < len(text) && at < i+n+8 && (isLetter(text[at]) || text[at] >= 0x80) {
		at++ // an ending
	}
	sign := skipAny(text, at, 3, " :(,=")
	if sign == at || i > 0 && text[i-1] < 0x80 && among("_$./={<", text[i-1]) {
		return
	}
	v, ok := codeGroup(text, sign, lineEnd(text, sign))
	b := text[v.start:v.end]
	if !ok || bytes.IndexByte(b, ' ') >= 0 || len(b) > 7 || len(b) == 4 && (hasFold(b, "19") || hasFold(b, "20")) || !codeEnds(text, v) && !keptWhere(text, v) {
		return
	}
	add(span{v.start, v.end, -1, "pin"})
}

// keptWhere says whether a sentence goes on behind a number to say where it is of use, or what to press then.
func keptWhere(text []byte, v value) bool {
	rest := text[v.end:lineEnd(text, v.end)]
	for _, w := range []string{" +", " neben", " hinter", " unter", " ved ", " bij ", " beside", " behind", " next to", " hinten", " près", " junto", " vid "} {
		if hasFold(rest, w) {
			return true
		}
	}
	return false
}

// padlocked finds the three or four digits of a small lock that the line names.
func padlocked(text []byte, i, n int, add func(span)) {
	low, high := max(lineStart(text, i), i-40), min(lineEnd(text, i), i+n+30)
	for k := low; k < high; k++ {
		if !isDigit(text[k]) {
			continue
		}
		stop := skipAny(text, k, 6, "0123456789")
		b := text[k:stop]
		w := bytes.TrimRight(text[wordStart(text, max(k-1, low)):k], " ")
		if (len(b) == 3 || len(b) == 4) && k > low && text[k-1] == ' ' && (isCopula(w) || isCopula(bytes.TrimRight(w, ":"))) && codeEnds(text, value{start: k, end: stop}) {
			add(span{k, stop, -1, "pin"})
			return
		}
		k = stop
	}
}

// dialled finds the numbers of a lock that is turned to the left and the right.
func dialled(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 4, " :,")
	stop, groups := at, 0
	for k := at; k+1 < len(text) && isDigit(text[k]) && isDigit(text[k+1]) && (k+2 == len(text) || !isWord(text[k+2])) && groups < 5; {
		groups++
		stop = k + 2
		k = skipAny(text, stop, 3, " -/,")
	}
	near := text[max(lineStart(text, i), i-80):min(lineEnd(text, i), stop+60)]
	if groups >= 3 && mentions(near, "safe", "vault", "tresor", "caja fuerte", "coffre", "cassaforte", "kluis", "sejf", "kassaskåp", "cofre", "padlock", "candado") {
		add(span{at, stop, -1, "pin"})
	}
}
