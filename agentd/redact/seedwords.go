package redact

import (
	"bytes"
	"strings"
)

// joiningWords stand in every sentence and in no phrase of a wallet.
var joiningWords = set(`the and for from was are not but has had who how its his her which would could should been were into your der die das und ist ein
	eine mit auf für les des une est con del los las que por per`)

// walletWords announce the words of a wallet somewhere behind them.
const walletWords = `wallet|recovery key|ledger|trezor|metamask|recovery sheet|electrum|exodus|zwölf wörter|24 wörter|brieftasche|palabras|parole segrete|mots de r|word backup|words in order|wiederherstellungsw|seed:|seed =|seed is|seed (|seed-phrase|words of the seed|wortliste|frase semilla|phrase de récup`

// Between what announces a phrase and its first word stand this many bytes at most, and between two words this many.
const (
	seedAhead = 160
	seedGap   = 8
)

// seedNear finds twelve words or more in a row that make no sentence, behind what announces a phrase of a wallet.
func seedNear(text []byte, i, n int, add func(span)) {
	start, end, words := 0, 0, 0
	for at := i + n; at < len(text) && (words > 0 || at < i+n+seedAhead); {
		if class[text[at]]&clsLower == 0 {
			if words > 0 && (at-end > seedGap || !among(" ,\n\r\t0123456789.)-\"'", text[at])) {
				if words >= 12 {
					break
				}
				words = 0
			}
			at++
			continue
		}
		stop := at
		for stop < len(text) && (isLetter(text[stop]) || text[stop] >= 0x80) && stop-at < 24 {
			stop++
		}
		n := stop - at
		switch {
		case n < 3 || n > 8 || joiningWords[string(text[at:stop])] || strings.ToLower(string(text[at:stop])) != string(text[at:stop]) || at > 0 && isLetter(text[at-1]):
			if words >= 12 {
				at = len(text)
				continue
			}
			words = 0
		case words == 0:
			start, end, words = at, stop, 1
		default:
			end, words = stop, words+1
		}
		if at = stop; words == 24 {
			break
		}
	}
	if before := bytes.TrimRight(text[max(0, start-4):start], " "); words >= 12 && (len(before) == 0 || !isWord(before[len(before)-1]) || isDigit(before[len(before)-1])) {
		add(span{start, end, -1, "seed-phrase"})
	}
}
