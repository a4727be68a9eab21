package ui_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"
	"gatehouse/views/inbox"
	"gatehouse/views/ui"
)

// TestTools_inWords: each tool that servers have can be looked for, by words and not by its name, in every language.
func TestTools_inWords(t *testing.T) {
	t.Parallel()
	var there []string
	for _, d := range agentd.Definitions() {
		there = append(there, d.Name)
	}
	slices.Sort(there)
	for _, l := range i18n.Languages {
		ctx := ui.With(t.Context(), ui.Request{Locale: l.Locale})
		listed := ui.Tools(ctx)
		titles := make([]string, 0, len(listed))
		for _, tool := range listed {
			title, about := ui.ToolTitle(ctx, tool), ui.ToolAbout(ctx, tool, "")
			if title == tool || strings.Contains(title+about, "_") || about == "" {
				t.Errorf("%s: %s is %q: %q", l.Locale, tool, title, about)
			}
			titles = append(titles, title)
		}
		if !slices.IsSorted(titles) || len(slices.Compact(titles)) != len(listed) {
			t.Errorf("%s: the titles are not in order, or two are the same: %q", l.Locale, titles)
		}
		slices.Sort(listed)
		if !slices.Equal(listed, there) {
			t.Errorf("%s: listed are %q, servers have %q", l.Locale, listed, there)
		}
	}
}

// TestApproval_namesNoTool: the tool has its name in the part of the card that opens, and nowhere else.
func TestApproval_namesNoTool(t *testing.T) {
	t.Parallel()
	for _, c := range calls() {
		a := c.asked(t, "a1")
		for _, mode := range []ui.Mode{ui.Inline, ui.Full} {
			doc := document(t, inbox.Card(card.Of(t.Context(), a, card.Look{Agent: card.Unread}), mode))
			more := doc.Find("details.approval-more:not([open])")
			if !strings.Contains(more.Text(), c.tool) {
				t.Errorf("%s: opened, the card does not name it", c.tool)
			}
			more.Remove()
			if text := doc.Text(); c.tool != "message" && c.tool != "shell" && strings.Contains(text, c.tool) {
				t.Errorf("the closed card names %s: %s", c.tool, strings.Join(strings.Fields(text), " "))
			}
		}
	}
}
