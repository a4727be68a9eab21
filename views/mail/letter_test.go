package mail

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		p    Props
		link string
	}{
		"verify":  {Props{Verify, "The owner", "tok_1-A", "https://hub.example"}, "https://hub.example/auth/verify/tok_1-A"},
		"reset":   {Props{Reset, "The owner", "tok_1-A", "https://hub.example/"}, "https://hub.example/auth/reset/tok_1-A"},
		"welcome": {Props{Welcome, "The owner", "", "http://localhost:8080"}, "http://localhost:8080/app"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := Write(t.Context(), c.p)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(l.HTML))
			if err != nil {
				t.Fatal(err)
			}
			doc.Find("a").Each(func(_ int, a *goquery.Selection) {
				if href := a.AttrOr("href", ""); href != c.link {
					t.Errorf("link %q, want %q", href, c.link)
				}
			})
			if doc.Find("a").Length() != 2 || !strings.Contains(l.Text, "\n"+c.link+"\n") {
				t.Errorf("links are missing:\n%s", l.Text)
			}
			if n := doc.Find("[style], style, script, img").Length(); n != 0 {
				t.Errorf("%d elements that the content policy or mail programs would block", n)
			}
			if strings.Contains(l.Subject+l.HTML+l.Text, "⟦") {
				t.Error("words are missing from the catalogue")
			}
			for line := range strings.Lines(l.Text) {
				if len(line) > columns+1 && !strings.HasPrefix(line, "http") {
					t.Errorf("line of %d columns: %s", len(line), line)
				}
			}
			if title := doc.Find("h1").Text(); !strings.HasPrefix(l.Text, title) || l.Subject == "" {
				t.Errorf("text and HTML differ: %q", title)
			}
		})
	}
}

func TestWrite_namesAreEscaped(t *testing.T) {
	t.Parallel()
	l, err := Write(t.Context(), Props{Welcome, `<img src=x onerror=alert(1)>`, "", "https://hub.example"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(l.HTML, "<img") {
		t.Error("a name became an element")
	}
}

func TestWrite_unknownKind(t *testing.T) {
	t.Parallel()
	if _, err := Write(t.Context(), Props{Kind: "poem"}); err == nil {
		t.Error("wrote a letter of an unknown kind")
	}
}
