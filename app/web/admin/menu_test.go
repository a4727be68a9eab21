package admin_test

import (
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// TestMenu_keys: two keys lead to each place of the menu, and to no other.
func TestMenu_keys(t *testing.T) {
	t.Parallel()
	h := start(t)
	at := map[string]string{}
	h.doc(t, h.admin, "/admin/pool").Find("a[data-go]").Each(func(_ int, a *goquery.Selection) {
		keys, to := a.AttrOr("data-go", ""), a.AttrOr("href", "")
		if was, taken := at[keys]; taken && was != to {
			t.Errorf("%q leads to %s and to %s", keys, was, to)
		}
		at[keys] = to
	})
	if len(at) < 15 {
		t.Errorf("few places have keys: %v", at)
	}
}
