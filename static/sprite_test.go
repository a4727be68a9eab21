package static

import (
	"encoding/xml"
	"testing"
)

// TestSprite_symbols: well formed, each id once, at most 42, each with a box, all drawn in the colour of the text.
func TestSprite_symbols(t *testing.T) {
	t.Parallel()
	var sprite struct {
		Symbols []struct {
			ID   string `xml:"id,attr"`
			Box  string `xml:"viewBox,attr"`
			Line string `xml:"stroke,attr"`
		} `xml:"symbol"`
	}
	if err := xml.Unmarshal(read("sprite.svg"), &sprite); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range sprite.Symbols {
		if seen[s.ID] || s.Box != "0 0 24 24" || s.Line != "currentColor" {
			t.Errorf("symbol %q: twice %v, box %q, stroke %q", s.ID, seen[s.ID], s.Box, s.Line)
		}
		seen[s.ID] = true
	}
	if n := len(sprite.Symbols); n == 0 || n > 44 {
		t.Errorf("%d symbols", n)
	}
}
