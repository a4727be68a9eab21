package portaltest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// WantSound checks what every page must have: one h1, a stream, sign-out, forms that work without a script, words for
// every key, and nothing that the content policy forbids.
func WantSound(t *testing.T, page string, d *goquery.Document) {
	t.Helper()
	if n := d.Find("h1").Length(); n != 1 {
		t.Errorf("%s: %d h1", page, n)
	}
	if !strings.HasPrefix(d.Find("#live").AttrOr("hx-sse:connect", ""), "/app/stream") {
		t.Errorf("%s: not live", page)
	}
	if d.Find("form[action='/auth/sign-out']").Length() == 0 {
		t.Errorf("%s: nobody can sign out", page)
	}
	if html, _ := d.Html(); strings.Contains(html, "⟦") || strings.Contains(html, "<script>") {
		t.Errorf("%s: a word is missing, or a script stands in the page", page)
	}
	d.Find("form[method=post]").Each(func(_ int, f *goquery.Selection) {
		if f.AttrOr("action", "") == "" || f.Find("input[name=csrf]").AttrOr("value", "") == "" {
			t.Errorf("%s: the form %s does not work without a script", page, f.AttrOr("action", "?"))
		}
	})
	d.Find("[style], [onclick], [hx-on]").Each(func(_ int, s *goquery.Selection) { t.Errorf("%s: inline code or style", page) })
	ids := map[string]bool{}
	d.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		if id := s.AttrOr("id", ""); ids[id] {
			t.Errorf("%s: id %s stands twice", page, id)
		} else {
			ids[id] = true
		}
	})
}

// WantAway checks a page that was asked for while the server did not answer. says: the page tells of it.
func WantAway(t *testing.T, page string, got Answer, says bool) {
	t.Helper()
	nothing := strings.Contains(page, "/runs/") || strings.HasSuffix(page, "/delete") // without the server
	if got.StatusCode != http.StatusOK && !(got.StatusCode == http.StatusServiceUnavailable && nothing) {
		t.Errorf("%s: %d", page, got.StatusCode)
	}
	if says && got.Find("#banner .offline").Length() != 1 {
		t.Errorf("%s does not say that the server is away", page)
	}
	if state := got.Find(".server-state").Text(); strings.Contains(state, "Online") {
		t.Errorf("%s says that the server is %s", page, state)
	}
}
