package public_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"gatehouse/app/legal"
	"gatehouse/views/ui"
)

// wrote starts a hub whose operator has written pages and said how to be reached.
func wrote(t *testing.T, files map[string]string, o ui.Operator) *hub {
	t.Helper()
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	pages, err := legal.Read(dir, []string{"en", "de"})
	if err != nil {
		t.Fatal(err)
	}
	o.Legal = pages.Written()
	h := start(t)
	h.legal, h.operator = pages, o
	h.serve(t)
	return h
}

// in asks for a page in a language.
func (b *browser) in(locale, path string) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.hub.url+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Accept-Language", locale)
	return b.send(r)
}

func TestLegal(t *testing.T) {
	t.Parallel()
	h := wrote(t, map[string]string{
		"terms.md": "# Our terms\n\nRead the [privacy notice](/privacy).\n\n## Paying\n\n<script>alert(1)</script>\n\n" +
			"## Ending\n\nAny month.",
		"terms.de.md": "# Unsere AGB\n\nGuten Tag.", "privacy.de.md": "Wir speichern wenig.",
	}, ui.Operator{Email: "help@example.com", Phone: "+43 1 234", Text: "Mondays to Fridays"})
	b := h.browser(t)
	terms := b.in("en", "/terms").doc(t)
	if terms.Find("h1").Text() != "Our terms" || terms.Find("a[href='#ending'], main a[href='/privacy']").Length() != 2 {
		t.Errorf("the terms are %s", terms.Find("main").Text())
	}
	if terms.Find("main script").Length() != 0 || !strings.Contains(terms.Find("main").Text(), "<script>alert(1)</script>") {
		t.Error("a script stands in the page")
	}
	if got := b.in("de", "/terms").doc(t).Find("h1").Text(); got != "Unsere AGB" {
		t.Errorf("in German the terms are %q", got)
	}
	if got := b.in("en", "/privacy").doc(t).Find("main [lang=de] h1").Text(); got != "Privacy" {
		t.Errorf("a text in another language is headed %q", got)
	}
	if a := b.in("en", "/imprint"); a.StatusCode != http.StatusNotFound {
		t.Errorf("a page that was not written: %d", a.StatusCode)
	}
	for _, path := range []string{"/", "/pricing", "/terms", "/auth/sign-in"} {
		doc := b.in("en", path).doc(t)
		for page, want := range map[string]int{"/terms": 1, "/privacy": 1, "/imprint": 0} {
			if got := doc.Find(".foot a[href='" + page + "'], .auth-foot a[href='" + page + "']").Length(); got != want {
				t.Errorf("%s leads %d times to %s, want %d", path, got, page, want)
			}
		}
	}
	foot := b.in("en", "/").doc(t).Find(".foot")
	if foot.Find("a[href='mailto:help@example.com']").Length() != 1 || foot.Find("a[href='tel:+431234']").Length() != 1 {
		t.Errorf("the footer is %s", foot.Text())
	}
	guide := b.in("en", "/help?q=xylophone").doc(t).Find(".guide-contact")
	if guide.Find("a[href='mailto:help@example.com']").Length() != 1 || !strings.Contains(guide.Text(), "Mondays to Fridays") {
		t.Errorf("the help says %s", guide.Text())
	}
	before := b.in("en", "/checkout?plan=lite").doc(t).Find("[data-testid=read-before] a")
	if before.Length() != 2 || before.First().AttrOr("href", "") != "/terms" {
		t.Errorf("the checkout leads to %s", before.Text())
	}
}

// TestLegal_nothingFalse: where the operator has written and said nothing, no page pretends otherwise.
func TestLegal_nothingFalse(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	for _, path := range []string{"/", "/help", "/checkout?plan=lite", "/auth/sign-in"} {
		doc := b.get(path).doc(t)
		for _, none := range []string{
			"a[href='/terms']", "a[href='/privacy']", "a[href='/imprint']", "a[href^='mailto:']", ".guide-contact", ".foot-reach",
		} {
			if doc.Find(none).Length() != 0 {
				t.Errorf("%s has %s", path, none)
			}
		}
	}
}
