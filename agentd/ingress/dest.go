package ingress

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

var (
	address = lazyre.MustCompile(`(?i)[a-z0-9._%+-]{1,64}(?:@|\[at\]|\(at\))[a-z0-9-]{1,63}(?:(?:\.|\[\.\]|\[dot\]|\(dot\)|\(\.\))[a-z0-9-]{2,63}){1,4}`)
	link    = lazyre.MustCompile(`(?i)\b(?:h(?:tt|xx)ps?|ftp|wss?)://[^\s"'<>)\]]{1,1000}|\b(?:[a-z0-9-]{1,63}(?:\.|\[\.\])){1,4}(?:[a-z]{2,12})/[^\s"'<>)]{1,500}` +
		`|\bwww\.[a-z0-9.-]{3,100}|\b[a-z0-9-]{2,63}(?:\.|\[\.\])(?:com|net|org|io|example|test|evil|xyz|ru|cn|tk|top|site|online|biz|info|app|dev|co|me|sh|cc|link)\b`)
)

// dests finds addresses and links, in order and apart from each other.
func dests(s string) (all []place) {
	for from := 0; from < len(s); {
		n := strings.IndexFunc(s[from:], unicode.IsSpace)
		if n < 0 {
			n = len(s) - from
		}
		if field := strings.TrimRight(s[from:from+n], ".,;:!?)\""); strings.ContainsAny(field, "@./") || strings.Contains(field, "(at)") || strings.Contains(field, "[at]") {
			all = append(all, destsIn(field[:min(len(field), 4096)], from)...)
		}
		_, blank := utf8.DecodeRuneInString(s[from+n:])
		from += n + max(blank, 1)
	}
	return all
}

// destsIn finds the addresses and links of one field, which begins at from.
func destsIn(field string, from int) (all []place) {
	for _, re := range []*lazyre.Regexp{link, address} {
		for _, m := range re.FindAllStringIndex(field, -1) {
			all = append(all, place{word{from: from + m[0], means: dest}, from + m[1], "\x00dest"})
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}
