package ui_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"gatehouse/static"
)

// served is an asset as a browser gets it.
func served(t *testing.T, name string) string {
	t.Helper()
	w := httptest.NewRecorder()
	static.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, static.Path(name), nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d", name, w.Code)
	}
	return w.Body.String()
}
