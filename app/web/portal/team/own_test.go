package team_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

// TestOwn: an agent is made from a description and written over a diff; what is shown before is what is signed, and nothing happens
// without a signature. The settings say that it begins at the lowest level.
func TestOwn(t *testing.T) {
	t.Parallel()
	w := openCrew(t)
	portaltest.WantSound(t, "/app/agents/new", w.Get("/app/agents/new").Document)
	form := url.Values{
		"name": {"Gärtner"}, "role": {"Plants"}, "emoji": {"🌱"}, "description": {"Knows <b>plants</b>."}, "profile": {"messaging"},
		"starters": {"One\r\n\r\nTwo"}, "id": {""}, "from": {""},
	}
	page := w.Post("/app/agents/new", form)
	portaltest.WantSound(t, "/app/agents/new", page.Document)
	if text := page.Find("#review").Text(); !strings.Contains(text, "Knows <b>plants</b>.") || !strings.Contains(text, "gaertner") {
		t.Fatalf("%d %s", page.StatusCode, text)
	}
	if got := w.send(t, page, "#review", false); got.StatusCode < 400 {
		t.Errorf("without a signature: %d", got.StatusCode)
	}
	if got := w.send(t, page, "#review", true); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("create: %d %s", got.StatusCode, got.Find("main").Text())
	}
	set, err := w.hub.Teams.State(t.Context(), w.of.ID)
	if err != nil || set.Config.Agents["gaertner"].Level != 1 {
		t.Errorf("%+v, %v", set.Config.Agents, err)
	}
	const edit = "/app/agents/gaertner/edit?file=IDENTITY.md"
	portaltest.WantSound(t, edit, w.Get(edit).Document)
	if text := w.Get(edit).Find("textarea").Text(); !strings.Contains(text, "You are Gärtner: Plants.") {
		t.Errorf("%s", text)
	}
	page = w.Post(edit, url.Values{"text": {"You **grow**.\r\n<script>alert(1)</script>"}})
	portaltest.WantSound(t, edit, page.Document)
	if page.Find("#preview strong").Text() != "grow" || page.Find("#preview script").Length() != 0 {
		t.Errorf("%s", page.Find("#preview").Text())
	}
	if got := w.send(t, page, "#review", true); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("write: %d %s", got.StatusCode, got.Find("main").Text())
	}
	if got := w.send(t, page, "#review", true); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the same act again: %d", got.StatusCode)
	}
	old := w.Get(edit).Find("#history a").AttrOr("href", "")
	page = w.Get(old)
	if !strings.Contains(page.Find("textarea").Text(), "You are Gärtner: Plants.") || page.Find("#review form").Length() != 1 {
		t.Errorf("the version %s: %s", old, page.Find("main").Text())
	}
	if got := w.send(t, page, "#review", true); got.StatusCode != http.StatusSeeOther {
		t.Errorf("restore: %d %s", got.StatusCode, got.Find("main").Text())
	}
	const about = "/app/agents/gaertner/edit?file=template.yaml"
	form.Set("role", "Waters")
	page = w.Post(about, form)
	portaltest.WantSound(t, about, page.Document)
	if got := w.send(t, page, "#review", true); got.StatusCode != http.StatusSeeOther {
		t.Errorf("description: %d %s", got.StatusCode, got.Find("main").Text())
	}
	if got := w.Post(about, form).Find("#review form").Length(); got != 0 {
		t.Error("what changes nothing can be signed")
	}
	copied := w.Get("/app/agents/new?from=gaertner")
	portaltest.WantSound(t, "/app/agents/new?from=gaertner", copied.Document)
	form.Set("from", "gaertner")
	form.Set("id", "change")
	if got := w.send(t, w.Post("/app/agents/new", form), "#review", true); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a reserved name: %d %s", got.StatusCode, got.Find("main").Text())
	}
	form.Set("id", "two")
	if got := w.send(t, w.Post("/app/agents/new", form), "#review", true); got.StatusCode != http.StatusSeeOther {
		t.Errorf("copy: %d %s", got.StatusCode, got.Find("main").Text())
	}
	if got := w.Get("/app/agents/gaertner/edit?file=x"); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("no such file: %d", got.StatusCode)
	}
	w.peer.Away(t)
	portaltest.WantAway(t, "/app/agents/new", w.Get("/app/agents/new"), true)
}
