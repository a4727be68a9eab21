package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible makes s fit for a sentence that a person reads and decides on: what cannot be seen is spelled out.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(" ⏎ ")
		case r == '\t':
			b.WriteByte(' ')
		case hidden(r) || r == utf8.RuneError:
			fmt.Fprintf(&b, "‹U+%04X›", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden says whether a rune shows nothing, or reorders what is shown.
func hidden(r rune) bool {
	return r != ' ' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Co) ||
		r >= 0x2800 && r == 0x2800 || r == 0x3164 || r == 0xFFA0 || r == 0x115F || r == 0x1160)
}

// cut shortens s to at most n bytes at a rune border and says how much is missing.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := n
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return fmt.Sprintf("%s… (%d more bytes)", s[:i], len(s)-i)
}
