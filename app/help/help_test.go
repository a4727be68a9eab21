package help_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"gatehouse/app/help"
)

// languages are those with articles.
func languages(t *testing.T) []string {
	t.Helper()
	dirs, err := os.ReadDir("articles")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, d := range dirs {
		all = append(all, d.Name())
	}
	if len(all) < 2 {
		t.Fatalf("only %v", all)
	}
	return all
}

// TestArticles_complete: every file is listed, and each article has the same sections in all languages.
func TestArticles_complete(t *testing.T) {
	t.Parallel()
	shape := map[string]int{}
	for _, lang := range languages(t) {
		left := map[string]bool{}
		names, err := fs.Glob(os.DirFS("articles"), lang+"/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			left[strings.TrimSuffix(path.Base(n), ".md")] = true
		}
		titles := map[string]bool{}
		for _, topic := range help.Topics(lang) {
			for _, a := range topic.Articles {
				delete(left, a.Slug)
				if a.Title == "" || a.Lead == "" || len(a.Sections) < 2 || titles[a.Title] {
					t.Errorf("%s/%s: title %q, lead %q, %d sections", lang, a.Slug, a.Title, a.Lead, len(a.Sections))
				}
				titles[a.Title] = true
				if n, known := shape[a.Slug]; known && n != len(a.Sections) {
					t.Errorf("%s/%s has %d sections, in another language %d", lang, a.Slug, len(a.Sections), n)
				}
				shape[a.Slug] = len(a.Sections)
			}
		}
		for slug := range left {
			t.Errorf("%s/%s is listed nowhere", lang, slug)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)]*)\)`)

// TestArticles_sameLinks: an article leads to the same places in all languages, and those about other articles exist. Where the
// others lead is for the test of the pages.
func TestArticles_sameLinks(t *testing.T) {
	t.Parallel()
	for _, topic := range help.Topics("en") {
		for _, a := range topic.Articles {
			var want string
			for _, lang := range languages(t) {
				b, err := os.ReadFile(path.Join("articles", lang, a.Slug+".md"))
				if err != nil {
					t.Fatal(err)
				}
				var all []string
				for _, m := range link.FindAllStringSubmatch(string(b), -1) {
					all = append(all, m[1])
					slug, isArticle := strings.CutPrefix(m[1], "/help/")
					if _, ok := help.Find(lang, slug); isArticle && !ok {
						t.Errorf("%s/%s leads to %s, which is not there", lang, a.Slug, m[1])
					}
				}
				if got := strings.Join(all, " "); want == "" {
					want = got
				} else if got != want {
					t.Errorf("%s/%s leads to %s, in another language to %s", lang, a.Slug, got, want)
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	if a, ok := help.Find("de", "levels"); !ok || a.Title != "Was die Stufen bedeuten" {
		t.Errorf("%+v", a)
	}
	if a, ok := help.Find("en-XA", "levels"); !ok || a.Title != "What the levels mean" {
		t.Errorf("an unknown language gets %q", a.Title)
	}
	if _, ok := help.Find("en", "../en/levels"); ok {
		t.Error("found what is no name")
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, query, first string }{
		{"en", "levels", "levels"},
		{"en", "LEVEL", "levels"},
		{"en", "what do the levels mean", "levels"},
		{"en", "I lost my phone", "lost-device"},
		{"en", "recovery code", "lost-device"},
		{"en", "approving on another device", "another-device"},
		{"en", "notification", "notifications"},
		{"en", "quiet hours", "notifications"},
		{"en", "delete a conversation", "conversations"},
		{"en", "export my data archive", "your-data"},
		{"en", "passwords", "credentials"},
		{"en", "server away", "server-away"},
		{"en", "upload", "files"},
		{"de", "Stufen", "levels"},
		{"de", "Gerät verloren", "lost-device"},
		{"de", "geraet verloren", "lost-device"},
		{"de", "Wiederherstellungscode", "lost-device"},
		{"de", "wie lösche ich eine Unterhaltung", "conversations"},
		{"de", "Benachrichtigungen auf dem Telefon", "notifications"},
		{"de", "Passwort", "credentials"},
		{"de", "Ruhezeiten", "notifications"},
		{"de", "hochladen", "files"},
	} {
		hits := help.Search(c.lang, c.query)
		if len(hits) == 0 || hits[0].Slug != c.first {
			t.Errorf("%s %q finds %+v, want %s first", c.lang, c.query, hits, c.first)
		}
	}
}

// TestSearch_titleFirst: an article that is about a word stands before those that mention it.
func TestSearch_titleFirst(t *testing.T) {
	t.Parallel()
	hits := help.Search("en", "rules")
	if len(hits) < 3 || hits[0].Slug != "rules" {
		t.Errorf("%+v", hits)
	}
}

func TestSearch_marks(t *testing.T) {
	t.Parallel()
	hit := help.Search("de", "wiederherstellungscode")[0]
	var marked, all string
	for _, p := range hit.Excerpt {
		all += p.Text
		if p.Mark {
			marked = p.Text
		}
	}
	if marked != "Wiederherstellungscode" || strings.ContainsAny(all, "*`[]|") || hit.Section == "" {
		t.Errorf("%q is marked in %q of section %q", marked, all, hit.Section)
	}
	title := help.Search("en", "levels")[0].Title
	if len(title) != 3 || !title[1].Mark || title[1].Text != "levels" || title[0].Text != "What the " {
		t.Errorf("title %+v", title)
	}
}

func TestSearch_nothing(t *testing.T) {
	t.Parallel()
	for _, q := range []string{"", "  ", "?!", "xylophone", strings.Repeat("ü", 5000), "\xff\xfe"} {
		if hits := help.Search("en", q); len(hits) > 0 {
			t.Errorf("%.20q finds %d articles", q, len(hits))
		}
	}
}

// TestSearch_most: when no article has all words, those with the most are found.
func TestSearch_most(t *testing.T) {
	t.Parallel()
	if hits := help.Search("en", "recovery code xylophone"); len(hits) == 0 || hits[0].Slug != "lost-device" {
		t.Errorf("%+v", hits)
	}
}
