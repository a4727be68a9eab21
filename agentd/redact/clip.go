package redact

import (
	"strings"
	"unicode/utf8"
)

// beyondCut is how far behind a cut Clip looks for the end of what begins before it: as far as a secret in the widest
// encoding goes that is looked for across two parts.
const beyondCut = 16 << 10

// Clip is Text of s, cut to at most n bytes of valid UTF-8 with a sign that something is missing. Cutting first would
// leave the beginning of a secret that lies across the cut, which nobody can know for one any more: such a one goes whole.
func Clip(s string, n int) string { return Current().Clip(s, n) }

// Clip is the package's Clip with this engine.
func (e *Engine) Clip(s string, n int) string {
	clean := strings.ToValidUTF8(e.Text(e.before(s, n)), "\uFFFD")
	if len(s) <= n && len(clean) <= n {
		return clean
	}
	return upTo(clean, max(n-len("…"), 0)) + "…"
}

// before is the first n bytes of s at most, without its secrets, and without the beginning of one that goes on behind them.
// What is a secret is seen in the longer text: of a password in an address only the sign behind it tells.
func (e *Engine) before(s string, n int) string {
	if len(s) <= n {
		return s
	}
	now, text := e.state.Load(), upTo(s, n+beyondCut)
	spans, err := now.scanString(text, full)
	if err != nil {
		return ""
	}
	cut := len(upTo(s, n))
	for i, f := range spans {
		if f.end > cut {
			cut, spans = min(cut, f.start), spans[:i]
			break
		}
	}
	return e.rewrite(now, text[:cut], spans)
}

// upTo is the first n bytes of s at most, without the beginning of a character.
func upTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
