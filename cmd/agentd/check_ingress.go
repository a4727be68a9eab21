package main

import (
	"context"
	"encoding/json"
	"strings"

	"gatehouse/agentd/ingress"
)

// arrived is one line of input: a text from outside.
type arrived struct {
	ID     json.RawMessage `json:"id"`
	Source string          `json:"source"`
	Text   string          `json:"text"`
}

// marked is one line of output.
type marked struct {
	ID       json.RawMessage `json:"id"`
	Flagged  bool            `json:"flagged"`
	Patterns []string        `json:"patterns"`
	Text     string          `json:"text"`
}

// unreadable is the pattern of a line that is no question: it counts as the worst.
const unreadable = "unreadable"

// checkIngress is "agentd check ingress".
func checkIngress(ctx context.Context, c *call) error {
	budget := c.flags.Int("budget", ingress.Budget, "most bytes of content in one block")
	if err := c.parse(0); err != nil {
		return err
	}
	return checkLines(ctx, c, func(line []byte) any { return mark(line, *budget) })
}

// mark wraps the text of one line. What cannot be read is flagged, and none of it is shown.
func mark(line []byte, budget int) marked {
	var a arrived
	if err := readLine(line, &a, "text"); err != nil {
		b := ingress.Wrap("", "", "", "", budget)
		return marked{orNull(a.ID), true, []string{unreadable}, b.Text}
	}
	b := ingress.Wrap(a.Source, "", idText(a.ID), a.Text, budget)
	return marked{orNull(a.ID), b.Flagged, append([]string{}, b.Patterns...), b.Text}
}

// idText is an id as it stands in the mark of a block.
func idText(id json.RawMessage) string {
	var s string
	if json.Unmarshal(id, &s) == nil {
		return s
	}
	return strings.TrimSpace(string(id))
}
