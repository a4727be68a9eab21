package document_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse/app/document"
)

func TestParse(t *testing.T) {
	t.Parallel()
	d := document.Parse("\n# Terms of use #\r\n\r\nFor everyone.\n\n## Paying\n\nMonthly.\n\n### How\n\nBy card.\n\n" +
		"```\n## not a heading\n```\n\n## Paying\n\n#hashtag\n\n## Über uns & Größe\n\n# Another\ntext\n")
	if d.Title != "Terms of use" || d.Lead != "For everyone." {
		t.Errorf("title %q, lead %q", d.Title, d.Lead)
	}
	var got []string
	for _, s := range d.Sections {
		got = append(got, s.ID+"|"+s.Title)
	}
	want := []string{"paying|Paying", "paying-2|Paying", "uber-uns-grosse|Über uns & Größe", "another|Another"}
	if !slices.Equal(got, want) {
		t.Errorf("sections %q, want %q", got, want)
	}
	if body := d.Sections[0].Body; !strings.Contains(body, "### How") || !strings.Contains(body, "## not a heading") {
		t.Errorf("the first section is %q", body)
	}
	if d.Sections[1].Body != "#hashtag" {
		t.Errorf("the second section is %q", d.Sections[1].Body)
	}
}

func TestParse_withoutTitle(t *testing.T) {
	t.Parallel()
	d := document.Parse("Some words.\n\n# First\nx\n\n## \n")
	if d.Title != "" || d.Lead != "Some words." || len(d.Sections) != 1 || d.Sections[0].Title != "First" {
		t.Errorf("%+v", d)
	}
	if d := document.Parse("## !!!\n"); d.Sections[0].ID != "section" {
		t.Errorf("named %q", d.Sections[0].ID)
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"Schlüssel": "schlussel", "GRÖẞE": "grosse", "Straße": "strasse", "café ﬁn": "cafe fin"} {
		if got := document.Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
	if got := document.Words("Wi-Fi, 3 Geräte!"); !slices.Equal(got, []string{"wi", "fi", "3", "gerate"}) {
		t.Errorf("words %q", got)
	}
}
