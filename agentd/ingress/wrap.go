package ingress

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The marks of a block.
const (
	opening = "[EXTERNAL_CONTENT"
	closing = "[/EXTERNAL_CONTENT]"
)

// Budget is how many bytes of content a block holds when the caller names no figure.
const Budget = 64 << 10

// most is how much of a text is looked at. What lies behind it is never shown.
const most = 256 << 10

// Block is outside content as a model may read it.
type Block struct {
	Text string // the wrapped content
	Report
}

// Wrap marks text as content from outside. source says how it came (mail, web, mcp), sender who wrote it, id which
// item it is; budget is the most bytes of content, or 0 for Budget.
func Wrap(source, sender, id, text string, budget int) Block {
	if budget <= 0 {
		budget = Budget
	}
	looked := prefix(text, most)
	r := Scan(looked)
	body := cut(neutral(visible(looked)), budget, len(text)-len(looked))
	var b strings.Builder
	fmt.Fprintf(&b, "%s source=%s sender=%s id=%s", opening, attribute(source), attribute(sender), attribute(id))
	if r.Flagged {
		fmt.Fprintf(&b, " suspicious=%s", strings.Join(r.Patterns, ","))
	}
	b.WriteString("]\n" + body + "\n" + closing)
	return Block{b.String(), r}
}

// attribute encodes a value so that it can neither end its place nor the mark: all but plain letters, digits and a
// few signs of addresses stand as %XX.
func attribute(s string) string {
	var b strings.Builder
	s = prefix(s, 256)
	for i := range len(s) {
		if c := s[i]; plain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}

// plain says whether a byte may stand in an attribute as it is.
func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-@+/:", c) >= 0
}

// cut keeps at most budget bytes and says how many are missing; unseen were never looked at.
func cut(s string, budget, unseen int) string {
	kept := prefix(s, budget)
	missing := len(s) - len(kept) + unseen
	if missing == 0 {
		return kept
	}
	return fmt.Sprintf("%s\n‹%d bytes cut›", kept, missing)
}

// prefix is at most the first n bytes of s, ending between runes.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
