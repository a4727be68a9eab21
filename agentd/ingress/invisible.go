package ingress

import "strings"

// tagged reads text written in the tag characters U+E0020..U+E007E. The flags of England, Scotland and Wales are
// pictures made of them, and too short to say anything.
func tagged(s string) []string {
	var b strings.Builder
	for _, r := range s {
		if r >= 0xE0020 && r <= 0xE007E {
			b.WriteRune(r - 0xE0000)
		}
	}
	return atLeast(8, b.String())
}

// selected reads bytes written as variation selectors: one selector is a byte.
func selected(s string) []string {
	var b []byte
	for _, r := range s {
		switch {
		case r >= 0xFE00 && r <= 0xFE0D:
			b = append(b, byte(r-0xFE00))
		case r >= 0xE0100 && r <= 0xE01EF:
			b = append(b, byte(r-0xE0100+16))
		}
	}
	if t := printable(b); t != "" {
		return []string{t}
	}
	return nil
}

// binaryBlanks reads letters written as bits of two zero-width runes, in both meanings.
func binaryBlanks(s string) (found []string) {
	bits, first := []byte{}, rune(0)
	for _, r := range s {
		if r != 0x200B && r != 0x200C && r != 0x200D && r != 0x2060 && r != 0xFEFF && r != 0x2063 && r != 0x2062 {
			continue
		}
		if first == 0 {
			first = r
		}
		bits = append(bits, bit(r == first))
	}
	for _, flip := range []byte{0, 1} {
		for _, width := range []int{8, 7} {
			if t := printable(packed(bits, width, flip)); t != "" {
				found = append(found, t)
			}
		}
	}
	return found
}

func bit(same bool) byte {
	if same {
		return 0
	}
	return 1
}

// packed makes bytes of groups of width bits.
func packed(bits []byte, width int, flip byte) (out []byte) {
	for ; len(bits) >= width; bits = bits[width:] {
		var c byte
		for _, b := range bits[:width] {
			c = c<<1 | (b ^ flip)
		}
		out = append(out, c)
	}
	return out
}

// atLeast drops what is too short to say anything.
func atLeast(n int, s string) []string {
	if len(s) < n {
		return nil
	}
	return []string{s}
}
