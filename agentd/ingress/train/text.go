package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gatehouse/agentd/ingress"
)

// text is one text to learn from.
type text struct {
	text    string
	attack  bool
	cost    float64    // how much a mistake about it weighs
	from    string     // the corpus it stands in, or empty
	whole   []uint32   // its cues, each once
	windows [][]uint32 // its cues, window by window
}

// texts reads all there is to learn from: texts written by hand (data/*.txt), those that grammars make (data/*.grammar)
// and the corpora of the tests that were once unseen and are no longer.
func texts(dir string) (all []text, err error) {
	for _, kind := range []struct {
		pattern string
		read    func(path string) ([]text, error)
	}{{"train/data/*.txt", written}, {"train/data/*.grammar", made}, {"testdata/*.jsonl", corpus}} {
		names, err := filepath.Glob(filepath.Join(dir, kind.pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			more, err := kind.read(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

// readCues fills in what the model sees of each text.
func readCues(all []text) {
	for i := range all {
		t := &all[i]
		t.windows = ingress.Cues(t.text)
		seen := map[uint32]bool{}
		for _, w := range t.windows {
			for _, c := range w {
				if !seen[c] {
					seen[c] = true
					t.whole = append(t.whole, c)
				}
			}
		}
	}
}

// written reads one text a line; a plus marks an attack, a minus what is none, \n a new line.
func written(path string) (all []text, err error) {
	cost := costNear
	if filepath.Base(path) == "prose.txt" {
		cost = costMade
	}
	err = lines(path, func(line string) error {
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '+' || line[0] == '-':
			all = append(all, text{text: strings.ReplaceAll(strings.TrimSpace(line[1:]), `\n`, "\n"), attack: line[0] == '+', cost: cost})
		default:
			return fmt.Errorf("neither + nor -: %.60q", line)
		}
		return nil
	})
	return all, err
}

// isUnseen says whether a corpus must not be learned from, for it measures what was learned.
func isUnseen(name string) bool { return strings.HasPrefix(name, "unseen_") }

// isApart says whether a corpus was written by somebody who had not seen what is looked for.
func isApart(name string) bool { return strings.HasPrefix(name, "apart_") }

// corpus reads the cases of a test that hold plain words: the finders of hidden and encoded text are not the model's.
func corpus(path string) (all []text, err error) {
	name, cost := filepath.Base(path), costNear
	if isUnseen(name) {
		return nil, nil
	}
	if isApart(name) {
		cost = costApart
	}
	err = lines(path, func(line string) error {
		var s struct {
			Attack bool
			Kind   string
			Text   string
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			return err
		}
		if !strings.Contains(s.Text, "{{") && s.Kind != "encoded" && s.Kind != "hidden" && s.Kind != "invisible" {
			all = append(all, text{text: s.Text, attack: s.Attack, cost: cost, from: name})
		}
		return nil
	})
	return all, err
}

// lines calls fn with each line of a file.
func lines(path string, fn func(string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if err := fn(s.Text()); err != nil {
			return err
		}
	}
	return s.Err()
}
