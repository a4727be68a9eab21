package help_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/help"
	"gatehouse/app/web/portal/portaltest"
)

// speak chooses the language of a browser.
func speak(t *testing.T, b *portaltest.Browser, locale string) {
	t.Helper()
	if got := b.Post("/app/settings/language", url.Values{"language": {locale}}); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%s: %d", locale, got.StatusCode)
	}
}

// TestHelp_everyArticle: each article stands in both languages, with its table of contents, and each of its links leads to a
// page and, where it names one, to a place on it.
func TestHelp_everyArticle(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Demo(t, of)
	b := h.Owner(t, of)
	for _, locale := range []string{"en", "de"} {
		speak(t, b, locale)
		index := b.Get("/app/help")
		portaltest.WantSound(t, "/app/help", index.Document)
		known := map[string]*portaltest.Answer{}
		for _, topic := range help.Topics(locale) {
			for _, a := range topic.Articles {
				path := "/app/help/" + a.Slug
				if index.Find("main a[href='"+path+"']").Text() != a.Title {
					t.Errorf("%s: the list does not lead to %s", locale, a.Slug)
				}
				page := b.Get(path)
				portaltest.WantSound(t, path, page.Document)
				if title, n := page.Find("h1").Text(), page.Find(".guide-toc a").Length(); title != a.Title || n != len(a.Sections) {
					t.Errorf("%s %s: %q with %d entries", locale, path, title, n)
				}
				page.Find("main a").Each(func(_ int, s *goquery.Selection) {
					resolves(t, b, known, path, s.AttrOr("href", ""))
				})
			}
		}
	}
}

// resolves follows one link of a page of this site. Pages that were read once are kept in known.
func resolves(t *testing.T, b *portaltest.Browser, known map[string]*portaltest.Answer, from, href string) {
	t.Helper()
	path, place, _ := strings.Cut(href, "#")
	if path == "" {
		path = from
	}
	if path == "/security" || path == "/status" { // of the public pages
		return
	}
	if known[path] == nil {
		answer := b.Get(path)
		known[path] = &answer
	}
	got := known[path]
	there := got.StatusCode != http.StatusNotFound && got.StatusCode < http.StatusInternalServerError
	if !strings.HasPrefix(path, "/app") || !there || place != "" && got.Find("[id='"+place+"']").Length() != 1 {
		t.Errorf("%s leads to %s: %d", from, href, got.StatusCode)
	}
}

func TestHelp_search(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	page := b.Get("/app/help?q=recovery+code")
	first := page.Find("ol.guide-links li").First()
	portaltest.WantSound(t, "/app/help?q=", page.Document)
	if first.Find("mark").Length() == 0 || !strings.HasPrefix(first.Find("a").AttrOr("href", ""), "/app/help/lost-device#") {
		t.Errorf("first is %s", first.Text())
	}
	if page.Find("input[name=q]").AttrOr("value", "") != "recovery code" {
		t.Error("the field lost what was typed")
	}
	none := b.Get("/app/help?q=" + url.QueryEscape("<script>xylophone"))
	portaltest.WantSound(t, "/app/help?q=none", none.Document)
	if text := none.Find("main").Text(); !strings.Contains(text, "Nothing found for “<script>xylophone”") {
		t.Errorf("the page says %s", text)
	}
	if got := b.Get("/app/help/none"); got.StatusCode != http.StatusNotFound {
		t.Errorf("an article that is not there: %d", got.StatusCode)
	}
	speak(t, b, "de")
	german := b.Get("/app/help?q=" + url.QueryEscape("geraet verloren")).Find("ol.guide-links li a").First()
	if !strings.Contains(german.Text(), "verloren") {
		t.Errorf("in German the first is %q", german.Text())
	}
}

// TestHelp_whereOneStumbles: the pages on which owners stop lead to the article about them.
func TestHelp_whereOneStumbles(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	b := h.Owner(t, of)
	for path, article := range map[string]string{
		"/app/settings/approvers": "another-device", "/app/approvals": "first-request", "/app/permissions": "rules",
		"/app/agents/secretary/autonomy": "levels",
	} {
		if b.Get(path).Find("main a[href='/app/help/"+article+"']").Length() != 1 {
			t.Errorf("%s does not lead to %s", path, article)
		}
	}
	if b.Get("/app").Find("nav a[href='/app/help']").Length() == 0 {
		t.Error("the menu does not lead to help")
	}
}
