package config

import (
	"strings"
	"unicode"
)

// maxBusiness is how much of the name of the business agents are told.
const maxBusiness = 80

// business is the name of the business as agents are told it, who read it where our own orders stand: one line, as text and
// nothing else. It is the one thing in a version that reaches a model, and takes no signature.
func business(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(name, " "))
	runes := []rune(strings.Join(strings.Fields(plain), " "))
	if len(runes) > maxBusiness {
		return strings.TrimSpace(string(runes[:maxBusiness-1])) + "…"
	}
	return string(runes)
}
