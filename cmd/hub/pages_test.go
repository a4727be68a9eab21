package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"gatehouse/app/web"
)

// wantPagesListed compares the routes that a browser opens with the list in e2e/page.
func wantPagesListed(t *testing.T, routes []web.Route) {
	t.Helper()
	b, err := os.ReadFile("e2e/page/testdata/routes.txt")
	ok(t, err)
	listed := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "/") {
			listed[strings.Fields(line)[0]] = true
		}
	}
	for _, r := range routes {
		program := r.For == web.Server || strings.HasPrefix(r.Path, "/api/")
		if r.Method != http.MethodGet || program {
			continue
		}
		if !listed[r.Path] {
			t.Errorf("e2e/page/testdata/routes.txt says nothing about %s: who opens it in the test of pages?", r.Path)
		}
		delete(listed, r.Path)
	}
	for path := range listed {
		t.Errorf("e2e/page/testdata/routes.txt lists %s, and there is no such page", path)
	}
}
