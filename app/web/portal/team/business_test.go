package team_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/web/portal/portaltest"
)

// TestBusiness: choosing the kind of business changes which agents and first tasks are offered, and nothing of the team. An agent
// joins by a signature only, and the page shows it then.
func TestBusiness(t *testing.T) {
	t.Parallel()
	w := openCrew(t)
	suited := func(page portaltest.Answer) []string {
		return page.Find("#suited .member").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("id", "") })
	}
	page := w.Get("/app/business")
	portaltest.WantSound(t, "/app/business", page.Document)
	if got := suited(page); !slices.Equal(got, []string{"template-secretary", "template-generalist"}) {
		t.Errorf("without a kind: %v", got)
	}
	if got := w.Post("/app/business", url.Values{"kind": {"circus"}}); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a kind that is none: %d", got.StatusCode)
	}
	if got := w.Post("/app/business", url.Values{"kind": {"food"}}); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("chosen: %d", got.StatusCode)
	}
	page = w.Get("/app/business")
	if got := suited(page); !slices.Equal(got, []string{"template-secretary", "template-social"}) {
		t.Errorf("a bakery: %v", got)
	}
	if n := page.Find("#tasks .first-task").Length(); n != 5 {
		t.Errorf("%d first tasks", n)
	}
	social := filepath.Join(w.folders.Dir, "social")
	if got := w.send(t, page, "#template-social", false); got.StatusCode < 400 {
		t.Errorf("without a signature: %d", got.StatusCode)
	}
	if _, err := os.Stat(social); err == nil {
		t.Error("an agent joined without a signature")
	}
	if back := page.Find("#template-social [name=back]").AttrOr("value", ""); back != "/app/business" {
		t.Errorf("leads to %q", back)
	}
	if got := w.send(t, page, "#template-social", true); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("signed: %d", got.StatusCode)
	}
	if _, err := os.Stat(social); err != nil {
		t.Error(err)
	}
	if w.Get("/app/business").Find("#template-social form").Length() != 0 {
		t.Error("who is in the team is offered again")
	}
}
