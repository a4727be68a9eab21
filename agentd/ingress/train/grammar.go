package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// grammar makes texts out of parts. A line "name = one | another {part}" gives a part its choices, and may stand
// more than once; "+ 200 {part}" asks for 200 attacks, "- 200 {part}" for as many texts that are none.
type grammar map[string][]string

// deepest is how far parts may stand in parts.
const deepest = 12

// made gives the texts that a grammar makes.
func made(path string) (all []text, err error) {
	g, r, batches := grammar{}, random(7), []string(nil)
	err = lines(path, func(line string) error {
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '+' || line[0] == '-':
			batches = append(batches, line)
		default:
			return g.define(line)
		}
		return nil
	})
	for _, line := range batches {
		if err != nil {
			break
		}
		var more []text
		more, err = g.batch(line, r)
		all = append(all, more...)
	}
	return all, err
}

// define reads one rule.
func (g grammar) define(line string) error {
	name, choices, ok := strings.Cut(line, "=")
	if !ok {
		return fmt.Errorf("no rule: %.60q", line)
	}
	name = strings.TrimSpace(name)
	for c := range strings.SplitSeq(choices, "|") {
		g[name] = append(g[name], strings.TrimSpace(c))
	}
	return nil
}

// batch makes the texts that one line asks for.
func (g grammar) batch(line string, r *source) (all []text, err error) {
	count, form, ok := strings.Cut(strings.TrimSpace(line[1:]), " ")
	n, err := strconv.Atoi(count)
	if !ok || err != nil {
		return nil, fmt.Errorf("no batch: %.60q", line)
	}
	for range n {
		s, err := g.expand(form, r, 0)
		if err != nil {
			return nil, err
		}
		s = strings.Join(strings.Fields(s), " ")
		all = append(all, text{text: strings.ReplaceAll(s, `\n`, "\n"), attack: line[0] == '+', cost: costMade})
	}
	return all, nil
}

// place is where a part goes; other braces are text.
var place = regexp.MustCompile(`\{[A-Za-z][A-Za-z0-9_]*\}`)

// expand fills the parts of a form.
func (g grammar) expand(form string, r *source, depth int) (string, error) {
	var failed error
	s := place.ReplaceAllStringFunc(form, func(m string) string {
		choices := g[m[1:len(m)-1]]
		if len(choices) == 0 || depth > deepest {
			failed = fmt.Errorf("no part %s", m)
			return ""
		}
		part, err := g.expand(choices[r.below(len(choices))], r, depth+1)
		if err != nil {
			failed = err
		}
		return part
	})
	return s, failed
}
