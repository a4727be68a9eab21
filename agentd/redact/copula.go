package redact

import "strings"

// isCopula looks a word up without an allocation: sentences have many.
func isCopula(word []byte) bool {
	var small [12]byte
	if len(word) > len(small) {
		return false
	}
	for i, c := range word {
		if small[i] = c; class[c]&clsUpper != 0 {
			small[i] = c | 0x20
		}
	}
	return isCopulaWord[string(small[:len(word)])]
}

var isCopulaWord = func() map[string]bool {
	all := map[string]bool{}
	for _, c := range copulas {
		all[c] = true
	}
	return all
}()

// fillers stand between what says that a password follows and the password.
var fillers = set(`now jetzt nun ab übrigens aktuell momentan derzeit wieder again actually also btw maintenant désormais ahora adesso nu agora teraz simply just currently still set zu`)

// skipFillers goes over words that say nothing.
func skipFillers(text []byte, at, line int) int {
	for range 2 {
		stop := at
		for stop < line && text[stop] > ' ' && text[stop] != ':' {
			stop++
		}
		if !fillers[strings.ToLower(string(text[at:stop]))] {
			break
		}
		at = skipAny(text, stop, 4, " \t:")
	}
	return min(at, line)
}
