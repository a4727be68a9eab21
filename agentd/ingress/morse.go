package ingress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

var morseRun = lazyre.MustCompile(`(?:[.\-·–_]{1,6}[ /|]{1,3}){8,}[.\-·–_]{1,6}`)

const morseCode = ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."

// morse reads dots and dashes.
func morse(s string) (found []string) {
	codes := map[string]string{}
	for i, c := range strings.Fields(morseCode) {
		codes[c] = string(rune('a' + i))
	}
	for _, m := range morseRun.FindAllString(s, 20) {
		m = strings.NewReplacer("·", ".", "–", "-", "_", "-", "/", " / ", "|", " / ").Replace(m)
		var b strings.Builder
		for _, f := range strings.Fields(m) {
			if l, ok := codes[f]; ok {
				b.WriteString(l)
			} else {
				b.WriteByte(' ')
			}
		}
		found = append(found, segments(strings.ReplaceAll(b.String(), " ", "")))
	}
	return found
}
