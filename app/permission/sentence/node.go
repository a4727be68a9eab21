package sentence

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// pair is a key of a mapping with its value.
type pair struct{ key, value *yaml.Node }

// pairs are those of a mapping; none of anything else.
func pairs(n *yaml.Node) []pair {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	out := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, pair{n.Content[i], n.Content[i+1]})
	}
	return out
}

// child is the value of a key; nil when there is none.
func child(n *yaml.Node, key string) *yaml.Node {
	for _, p := range pairs(n) {
		if p.key.Value == key {
			return p.value
		}
	}
	return nil
}

// put sets the value of a key. A new one is written where order has it among those that are there.
func put(n *yaml.Node, key string, value *yaml.Node, order []string) {
	at := len(n.Content)
	rank := slices.Index(order, key)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = commented(value, n.Content[i+1])
			return
		}
		if at == len(n.Content) && slices.Index(order, n.Content[i].Value) > rank {
			at = i
		}
	}
	n.Content = slices.Insert(n.Content, at, plain(key), value)
}

// commented gives a node the comments of the one whose place it takes.
func commented(n, was *yaml.Node) *yaml.Node {
	n.HeadComment, n.LineComment, n.FootComment = was.HeadComment, was.LineComment, was.FootComment
	return n
}

// drop takes a key out.
func drop(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}

// plain is a text as YAML writes it: in quotes where it would mean something else. Of << the library does not know that.
func plain(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if text == "<<" {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func number(digits string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: digits}
}

func yes() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"} }

func nothing() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"} }

func list(texts []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	for _, t := range texts {
		n.Content = append(n.Content, plain(t))
	}
	return n
}

func mapping(style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: style}
}

// scalar is the text of a node that a form can hold in one line; ok is false for what it cannot.
func scalar(n *yaml.Node) (text string, ok bool) {
	switch {
	case n == nil || isNull(n):
		return "", true
	case n.Kind != yaml.ScalarNode || !oneLine(n.Value):
		return "", false
	}
	return n.Value, true
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// oneLine says whether a text comes back from a field of a form as it was.
func oneLine(s string) bool {
	breaks := func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune("\u2028\u2029\ufeff", r) }
	return utf8.ValidString(s) && !strings.ContainsFunc(s, breaks)
}

// scalars are the texts of a list in which each is one of known, none twice; ok is false otherwise.
func scalars(n *yaml.Node, known []string) (texts []string, ok bool) {
	switch {
	case n == nil || isNull(n):
		return nil, true
	case n.Kind != yaml.SequenceNode:
		return nil, false
	}
	for _, c := range n.Content {
		text, ok := scalar(c)
		if !ok || !slices.Contains(known, text) || slices.Contains(texts, text) {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

// encode writes a node as YAML.
func encode(n *yaml.Node) (string, error) {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return "", err
	}
	return out.String(), e.Close()
}

// excerpt is a part of a document as a person reads it.
func excerpt(key string, value *yaml.Node) string {
	n := mapping(0)
	n.Content = []*yaml.Node{plain(key), value}
	text, err := encode(n)
	if err != nil {
		return key
	}
	return strings.TrimSpace(text)
}
