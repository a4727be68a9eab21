package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSaid is how much of a text a sentence holds. It is far more than anyone is shown: who shows a sentence cuts it, and
// sees in what stands behind the cut what is a secret in front of it. Half a secret nobody would know any more.
const maxSaid = 32 << 10

// mayBeLong is from where on a text stands last in its sentence, so that it is the text that is cut.
const mayBeLong = 200

// visible makes s fit for a sentence that a person reads and decides on: what cannot be seen is spelled out.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if b.Len() >= maxSaid {
			break
		}
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

// Visible makes s, a text of an agent or from outside, fit for a sentence that a person reads: what cannot be seen is spelled
// out.
func Visible(s string) string { return visible(s) }

// hidden says whether a rune shows nothing, or reorders what is shown.
func hidden(r rune) bool {
	return r != ' ' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Co) ||
		r >= 0x2800 && r == 0x2800 || r == 0x3164 || r == 0xFFA0 || r == 0x115F || r == 0x1160)
}

// longLast moves the long ones of some texts behind the others.
func longLast(texts []string) []string {
	slices.SortStableFunc(texts, func(a, b string) int { return min(len(a)/mayBeLong, 1) - min(len(b)/mayBeLong, 1) })
	return texts
}
