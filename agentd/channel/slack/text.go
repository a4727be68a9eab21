package slack

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// marks are what Slack writes in a text for a person, a channel, a call or an address.
var marks = regexp.MustCompile(`<([^<>\n]+)>`)

// plain is a text of Slack as people read it, without the name of the app at its beginning.
func plain(text, me string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if rest, named := strings.CutPrefix(strings.TrimSpace(text), "<@"+me+">"); named && me != "" {
		text = strings.TrimSpace(rest)
	}
	text = marks.ReplaceAllStringFunc(text, func(mark string) string {
		what, label, labeled := strings.Cut(mark[1:len(mark)-1], "|")
		switch {
		case strings.HasPrefix(what, "@"), strings.HasPrefix(what, "#"):
			if labeled && label != "" {
				return what[:1] + label
			}
			return what
		case strings.HasPrefix(what, "!"):
			if labeled && label != "" {
				return label
			}
			return "@" + what[1:]
		case !labeled || label == what || strings.TrimPrefix(what, "mailto:") == label || strings.HasSuffix(what, "://"+label):
			return strings.TrimPrefix(what, "mailto:")
		}
		return label + " (" + what + ")"
	})
	return unescaped.Replace(text)
}

// Slack gives three signs a meaning, and wants them written so where they have none. Nothing that an agent says can then call a person or a
// whole channel, or show one address as another.
var (
	escaped   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	unescaped = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// maxSection is how many characters, written as Slack wants them, a section of a message has.
const maxSection = 2900

// sections cuts a text into parts that fit into sections, at lines where it can.
func sections(text string) (all []string) {
	for {
		n, line, at := 0, 0, 0
		for i, c := range text {
			if n += utf8.RuneCountInString(escaped.Replace(string(c))); n > maxSection {
				break
			}
			if at = i + utf8.RuneLen(c); c == '\n' {
				line = at
			}
		}
		if n <= maxSection {
			return append(all, text)
		}
		if line > 0 {
			at = line
		}
		all, text = append(all, strings.TrimRight(text[:at], "\n")), text[at:]
	}
}
