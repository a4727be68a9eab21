package answer

import (
	"bytes"
	_ "embed"
	"fmt"

	"gopkg.in/yaml.v3"

	"gatehouse/agentd/policy"
)

//go:embed lexicon.yaml
var source []byte

// kind is a class of effects.
type kind struct {
	Tools   []string               `yaml:"tools"`   // a failed call of one of them contradicts the claim
	Effects []string               `yaml:"effects"` // kinds of effects that prove it besides its own
	Also    map[string]policy.Tier `yaml:"also"`    // tools whose finished calls prove it, from a tier on
}

type language struct {
	Verbs       map[string]string `yaml:"verbs"`
	Subjects    []string          `yaml:"subjects"`
	Auxiliaries []string          `yaml:"auxiliaries"`
	Passive     []string          `yaml:"passive"`
	Negations   []string          `yaml:"negations"`
	Open        []string          `yaml:"open"` // future, wish, condition
	Articles    []string          `yaml:"articles"`
	Past        []string          `yaml:"past"` // long ago: a finding, not a deed of this run
	Breaks      []string          `yaml:"breaks"`
}

type lexicon struct {
	Version   int                 `yaml:"version"`
	Kinds     map[string]kind     `yaml:"kinds"`
	Languages map[string]language `yaml:"languages"`
	Done      []string            `yaml:"done"`

	sets map[string]words
}

// words is a language with its lists as sets.
type words struct {
	verbs                                                                   map[string]string
	subjects, auxiliaries, passive, negations, open, articles, past, breaks map[string]bool
}

// words0 is the shipped lexicon. It is read once; that it can be read is tested.
var words0 = mustRead(source)

func mustRead(b []byte) lexicon {
	l, err := read(b)
	if err != nil {
		panic("answer: " + err.Error()) // the file is part of the binary
	}
	return l
}

func read(b []byte) (lexicon, error) {
	var l lexicon
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(&l); err != nil {
		return l, fmt.Errorf("lexicon: %w", err)
	}
	l.sets = map[string]words{}
	for name, lang := range l.Languages {
		for verb, k := range lang.Verbs {
			if _, ok := l.Kinds[k]; !ok {
				return l, fmt.Errorf("lexicon: %s: %s is of no known kind %q", name, verb, k)
			}
		}
		l.sets[name] = words{
			verbs: lang.Verbs, subjects: set(lang.Subjects), auxiliaries: set(lang.Auxiliaries), passive: set(lang.Passive),
			negations: set(lang.Negations), open: set(lang.Open), articles: set(lang.Articles), past: set(lang.Past), breaks: set(lang.Breaks),
		}
	}
	return l, nil
}

func set(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}
