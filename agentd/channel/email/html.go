package email

import (
	"strings"

	"golang.org/x/net/html"
)

// blocks end a line before and after them.
var blocks = map[string]bool{
	"p": true, "div": true, "tr": true, "li": true, "ul": true, "ol": true, "table": true, "h1": true, "h2": true, "h3": true,
	"h4": true, "blockquote": true, "section": true, "article": true, "header": true, "footer": true, "pre": true,
}

// unread hold no text for readers.
var unread = map[string]bool{"script": true, "style": true, "head": true, "title": true, "template": true, "noscript": true}

// textOf is HTML as a person would read it. What is quoted stands behind ">", as in plain text.
func textOf(source string) string {
	z := html.NewTokenizer(strings.NewReader(source))
	w := &lines{}
	skipped := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return w.text()
		}
		t := z.Token()
		switch {
		case kind == html.StartTagToken && unread[t.Data]:
			skipped++
		case kind == html.EndTagToken && unread[t.Data]:
			skipped = max(skipped-1, 0)
		case skipped > 0:
		case kind == html.TextToken:
			w.words(t.Data)
		case t.Data == "br":
			w.end()
		case t.Data == "hr":
			w.end()
			w.words("--------")
			w.end()
		case blocks[t.Data]:
			w.end()
			if t.Data == "blockquote" && kind == html.StartTagToken {
				w.quoted++
			} else if t.Data == "blockquote" {
				w.quoted = max(w.quoted-1, 0)
			}
		}
	}
}

// lines puts a text together line by line.
type lines struct {
	all    []string
	line   strings.Builder
	quoted int
}

func (l *lines) words(s string) {
	for _, f := range strings.Fields(s) {
		if l.line.Len() > 0 {
			l.line.WriteByte(' ')
		}
		l.line.WriteString(f)
	}
}

func (l *lines) end() {
	s := l.line.String()
	l.line.Reset()
	if s == "" && (len(l.all) == 0 || l.all[len(l.all)-1] == "") {
		return
	}
	if l.quoted > 0 {
		s = "> " + s
	}
	l.all = append(l.all, s)
}

func (l *lines) text() string {
	l.end()
	return strings.TrimSpace(strings.Join(l.all, "\n"))
}
