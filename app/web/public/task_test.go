package public_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/order"
)

// TestOnboard_firstTasks: the page of a finished order offers first tasks that lead into the chat, and none before.
func TestOnboard_firstTasks(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	for _, s := range order.Path()[1:] {
		if b.get("/onboard").doc(t).Find("#first-tasks").Length() != 0 {
			t.Fatalf("tasks are offered before %s", s)
		}
		h.advance(t, h.customer(t), s)
	}
	links := b.get("/onboard").doc(t).Find("#first-tasks a")
	if links.Length() != 5 {
		t.Errorf("%d tasks", links.Length())
	}
	links.Each(func(_ int, s *goquery.Selection) {
		if href := s.AttrOr("href", ""); !strings.Contains(href, "task=") && !strings.Contains(href, "win=") {
			t.Errorf("a task leads to %s", href)
		}
	})
}
