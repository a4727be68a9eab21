package permission

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPreviewWords: the figures above the list are those of the list, whatever went which way; what lets through more is never
// said to change nothing.
func TestPreviewWords(t *testing.T) {
	t.Parallel()
	figure := regexp.MustCompile(`^\d+`)
	effects := []string{"allow", "ask", "deny"}
	for _, loosens := range []bool{false, true} {
		for mask := range 64 { // which of the six ways one call went
			p := PreviewProps{Loosens: loosens, Checked: 100}
			for i := range 6 {
				before, after := effects[i/2], slices.Delete(slices.Clone(effects), i/2, i/2+1)[i%2]
				for range (mask >> i & 1) * (i + 1) {
					p.Changed = append(p.Changed, ChangedProps{Before: before, After: after})
				}
			}
			sum := 0
			for _, line := range p.counts(t.Context()) {
				n, err := strconv.Atoi(figure.FindString(line))
				if err != nil || n == 0 {
					t.Errorf("%s: %v", line, err)
				}
				sum += n
			}
			words := previewWords(t.Context(), p)
			var page strings.Builder
			if err := previewPanel(p).Render(t.Context(), &page); err != nil {
				t.Fatal(err)
			}
			_, list, _ := strings.Cut(page.String(), `id="changed"`)
			if listed := strings.Count(list, "<li>"); sum != listed || listed != len(p.Changed) {
				t.Errorf("%d in words, %d in the list, %d in all", sum, listed, len(p.Changed))
			}
			switch {
			case loosens:
				if !strings.Contains(words, "may do more without asking") {
					t.Errorf("%d: %s", mask, words)
				}
			case len(p.Changed) > 0:
				if !strings.Contains(words, fmt.Sprintf(" %d ", len(p.Changed))) {
					t.Errorf("%d: %s", mask, words)
				}
			}
		}
	}
}
