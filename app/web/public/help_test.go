package public_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/help"
)

// TestHelp: everyone reads the articles, in the language of their browser, and each leads to others below the same address.
func TestHelp(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	for _, locale := range []string{"en", "de"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/help", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Language", locale)
		index := b.send(r).doc(t)
		for _, topic := range help.Topics(locale) {
			for _, a := range topic.Articles {
				if got := index.Find("main a[href='/help/" + a.Slug + "']").Text(); got != a.Title {
					t.Errorf("%s: %s is called %q", locale, a.Slug, got)
				}
				page := b.get("/help/" + a.Slug)
				if page.StatusCode != http.StatusOK {
					t.Errorf("%s: %d", a.Slug, page.StatusCode)
				}
				page.doc(t).Find("main a[href*='/help']").Each(func(_ int, s *goquery.Selection) {
					if href := s.AttrOr("href", ""); !strings.HasPrefix(href, "/help") {
						t.Errorf("%s leads to %s", a.Slug, href)
					}
				})
			}
		}
	}
	if a := b.get("/help?q=levels"); !strings.Contains(a.text, "<mark>levels</mark>") {
		t.Error("nothing is marked")
	}
	if a := b.get("/help/none"); a.StatusCode != http.StatusNotFound {
		t.Errorf("an article that is not there: %d", a.StatusCode)
	}
	if b.get("/").doc(t).Find(".foot a[href='/help']").Length() != 1 {
		t.Error("the footer does not lead to help")
	}
}
