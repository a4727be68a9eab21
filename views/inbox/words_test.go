package inbox

import (
	"strings"
	"testing"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// TestTabTitle_erased: a request whose words are gone, or are not for this reader, still says what kind of thing is asked.
func TestTabTitle_erased(t *testing.T) {
	t.Parallel()
	erased := waiting("a")
	erased.Summary = ""
	for locale, want := range map[string]string{i18n.English: "Secretary · Send email", i18n.German: "Secretary · E-Mails senden"} {
		ctx := reader(t, ui.Request{Now: noon, Locale: locale})
		if got := TabTitle(ctx, erased); got != want {
			t.Errorf("the tab says %q, want %q", got, want)
		}
		_, what, _ := strings.Cut(want, " · ")
		if _, head, _ := strings.Cut(drawn(t, ctx, erased, ui.Full), "<h2"); !strings.Contains(head, what) {
			t.Errorf("the card does not say %q", what)
		}
	}
	erased.Tool = "shop_orders"
	if got := TabTitle(reader(t, ui.Request{Now: noon}), erased); got != "Secretary · Use shop_orders" {
		t.Errorf("a tool without words: %q", got)
	}
}
