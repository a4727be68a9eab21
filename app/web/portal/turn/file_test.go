package turn_test

import (
	"slices"
	"testing"

	"gatehouse/app/web/portal/turn"
	"gatehouse/views/ui"
)

// TestFiles: whatever a server names, links lead to the page of a file, and there are twenty at most.
func TestFiles(t *testing.T) {
	t.Parallel()
	got := turn.Files([]string{
		"letters/opening hours.txt", "a&b=c#d?.txt", "https://evil.example/a", "//evil.example", "/etc/passwd", "../a", "a/../b", ".", "",
		"javascript:alert(1)",
	})
	want := []ui.FileLink{
		{Name: "opening hours.txt", Folder: "letters", Href: "/app/files/view?path=letters%2Fopening+hours.txt"},
		{Name: "a&b=c#d?.txt", Href: "/app/files/view?path=a%26b%3Dc%23d%3F.txt"},
		{Name: "javascript:alert(1)", Href: "/app/files/view?path=javascript%3Aalert%281%29"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if n := len(turn.Files(slices.Repeat([]string{"a.txt"}, 100))); n != 20 {
		t.Errorf("%d links", n)
	}
}
