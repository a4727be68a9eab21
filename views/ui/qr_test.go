package ui_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/views/ui"
)

func drawn(t *testing.T, text string) *goquery.Document {
	t.Helper()
	var b strings.Builder
	if err := ui.QR("For your app", text).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestQR: a code has its three corners, a border of four white squares, and a name for those who do not see it.
func TestQR(t *testing.T) {
	t.Parallel()
	doc := drawn(t, "otpauth://totp/Gatehouse:someone@example.com?issuer=Gatehouse&secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
	svg := doc.Find("svg[role=img]")
	if svg.AttrOr("aria-label", "") != "For your app" {
		t.Error("the code has no name")
	}
	path := svg.Find("path").AttrOr("d", "")
	for _, corner := range []string{"M4 4h7v1h-7z", "M4 10h7v1h-7z"} {
		if !strings.Contains(path, corner) {
			t.Errorf("no %s in %s", corner, path)
		}
	}
	if strings.Contains(path, "M3 ") || strings.Contains(path, "M0 ") {
		t.Error("the border is not white")
	}
	if other := drawn(t, "something else").Find("path").AttrOr("d", ""); other == path {
		t.Error("two texts have one code")
	}
}

func TestQR_tooLong(t *testing.T) {
	t.Parallel()
	if err := ui.QR("x", strings.Repeat("x", 5000)).Render(t.Context(), &strings.Builder{}); err == nil {
		t.Error("a text that no code holds was drawn")
	}
}
