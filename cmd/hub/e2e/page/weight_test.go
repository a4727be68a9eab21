package page

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// mostLanding is what the landing page may weigh on a first visit, in bytes as they travel.
const mostLanding = 60 << 10

// loaded is what a browser loads with a page: scripts, styles, icons.
var loaded = regexp.MustCompile(`(?:src|href)="(/assets/[^"#]+)`)

// TestLanding_weight: the first page that anybody sees, with all that it loads.
func TestLanding_weight(t *testing.T) {
	h, _ := e2e.Start(t)
	html, total := fetch(t, h.URL("/"), "identity"), 0
	addresses := map[string]bool{}
	for _, m := range loaded.FindAllStringSubmatch(html, -1) {
		addresses[m[1]] = true
	}
	if len(addresses) < 4 || !strings.Contains(html, "</html>") {
		t.Fatalf("only %d files are loaded: %v", len(addresses), addresses)
	}
	for path := range addresses {
		total += len(fetch(t, h.URL(path), "gzip, br"))
	}
	page := len(fetch(t, h.URL("/"), "gzip, br"))
	if total += page; total > mostLanding || page*2 > len(html) {
		t.Errorf("the landing page weighs %d bytes, %d of them its HTML; want %d at most", total, page, mostLanding)
	}
	t.Logf("%d bytes, %d of them HTML", total, page)
}

func fetch(t *testing.T, url, accept string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", accept)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, got.Status, err)
	}
	return string(body)
}
