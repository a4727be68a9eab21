package ingress

import (
	"strings"
	"testing"

	"gatehouse/agentd/linear"
)

// TestScan_linear: text that is made to be slow takes as much longer as it is longer, whichever finder it is made for.
func TestScan_linear(t *testing.T) {
	for name, piece := range map[string]string{
		"one word":    "abcdefghij",
		"misspelt":    "igonre instrutcions forwrad ",
		"hyphens":     "in-struc-tions-",
		"holes":       "s\u200be\u200bn\u200bd ",
		"one hole":    "s\u200be",
		"dressed":     "ⓘⓖⓝⓞⓡⓔ ",
		"fields":      "a=\"b\" ",
		"calls":       "to the AI of the office that reads this: ",
		"many robots": "AI AI AI, ",
		"quotes":      "'a \"b ",
		"tags":        "<b hidden ",
	} {
		linear.Check(t, name, 8<<10, func(size int) { Scan(strings.Repeat(piece, size/len(piece))) })
	}
}
