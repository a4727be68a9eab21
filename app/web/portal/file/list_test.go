package file_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

// names are the rows of a list, in their order.
func names(got portaltest.Answer) (all []string) {
	for _, row := range got.Find("#files tbody tr").EachIter() {
		all = append(all, strings.TrimSpace(row.Find("th .strong").Text()))
	}
	return all
}

// TestList: folders stand first, each kind by name; sizes are told in people's units; what may hold secrets stays closed, and
// links lead nowhere.
func TestList(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{
		"Zoo.txt": strings.Repeat("x", 3400), "apple.txt": "a", "menus/may.md": "# May", "Archive/old.txt": "", "passwords.txt": "hunter2",
		".gatehouse-1": "half written", "<b>.txt": "",
	})
	d.link("/etc", "etc")
	got := d.Get("/app/files")
	portaltest.WantSound(t, "/app/files", got.Document)
	if s := strings.Join(names(got), " "); s != "Archive menus <b>.txt apple.txt etc passwords.txt Zoo.txt" {
		t.Fatalf("%s", s)
	}
	text := got.Find("#files").Text()
	if !strings.Contains(text, "3.4 kB") || !strings.Contains(text, "May hold passwords or keys") || got.Find("#files th a").Length() != 5 {
		t.Errorf("%d links: %s", got.Find("#files th a").Length(), text)
	}
	if got = d.Get(at("/app/files", "menus")); strings.Join(names(got), " ") != "may.md" || got.Find(".crumbs a").Length() != 1 {
		t.Errorf("%q, %d folders above", names(got), got.Find(".crumbs a").Length())
	}
	portaltest.WantSound(t, "a folder", got.Document)
}

// TestList_pages: a long folder comes in pages, which hold each entry once.
func TestList_pages(t *testing.T) {
	t.Parallel()
	d := open(t)
	for i := range 250 {
		portaltest.Must(t, os.WriteFile(filepath.Join(d.Data, fmt.Sprintf("File %03d.txt", i)), nil, 0o600))
	}
	seen, pages := map[string]bool{}, 0
	for next := "/app/files"; next != ""; pages++ {
		got := d.Get(next)
		for _, n := range names(got) {
			if seen[n] {
				t.Errorf("%s twice", n)
			}
			seen[n] = true
		}
		if !strings.Contains(got.Find(".pager").Text(), "250 files and folders") {
			t.Errorf("%s", got.Find(".pager").Text())
		}
		next = got.Find(".pager a[rel=next]").AttrOr("href", "")
	}
	if len(seen) != 250 || pages != 3 {
		t.Errorf("%d of 250 in %d pages", len(seen), pages)
	}
}

// TestList_search: a name is found below the folder that is open, whatever its case, and nowhere else.
func TestList_search(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{"a/MENÜ may.txt": "", "a/b/menü june.txt": "", "c/menü.txt": "", ".ssh/menü": ""})
	got := d.Get(at("/app/files", "a", "q", "menü"))
	if s := strings.Join(names(got), ","); s != "menü june.txt,MENÜ may.txt" || !strings.Contains(got.Find("#files").Text(), "in a/b") {
		t.Errorf("%s: %s", s, got.Find("#files").Text())
	}
	if got = d.Get("/app/files?q=menü"); len(names(got)) != 3 {
		t.Errorf("%q", names(got))
	}
	if got = d.Get("/app/files?q=nothing+like+it"); !strings.Contains(got.Find("#files").Text(), "No file is named like") {
		t.Errorf("%s", got.Find("#files").Text())
	}
}

// TestList_empty: an empty folder says so, one that is not there is no page, and a server that is away neither.
func TestList_empty(t *testing.T) {
	t.Parallel()
	d := open(t)
	got := d.Get("/app/files")
	if got.StatusCode != http.StatusOK || !strings.Contains(got.Find("main").Text(), "Nothing in this folder yet") {
		t.Errorf("%d: %s", got.StatusCode, got.Find("main").Text())
	}
	if got := d.Get(at("/app/files", "none")); got.StatusCode != http.StatusNotFound {
		t.Errorf("%d", got.StatusCode)
	}
	d.peer.Away(t)
	for _, path := range []string{"/app/files", at("/app/files/view", "a.txt")} {
		got := d.Get(path)
		portaltest.WantAway(t, path, got, true)
		if !strings.Contains(got.Find("main").Text(), "Your files are on your server") {
			t.Errorf("%s: %s", path, got.Find("main").Text())
		}
	}
}

// TestList_somebodyElse: files are those of one's own server.
func TestList_somebodyElse(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{"a.txt": "ours"})
	other := d.hub.NewCustomer(t)
	d.hub.Link(t, other).Also = nil
	if got := d.hub.Owner(t, other).Get(at("/app/files/view", "a.txt")); got.StatusCode < 400 || strings.Contains(got.Source, "ours") {
		t.Errorf("%d", got.StatusCode)
	}
}
