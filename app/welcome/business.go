package welcome

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

// Text is a text in several languages, by locale.
type Text map[string]string

// In is the text in a language; in English where there is none in it.
func (t Text) In(locale string) string {
	if text, ok := t[locale]; ok {
		return text
	}
	return t["en"]
}

// Win is something that a new customer gets done within the first hour.
type Win struct {
	Task     Task   `yaml:"win"`
	Agent    string `yaml:"agent"` // whom it is for
	Title    Text   `yaml:"title"`
	Hint     Text   `yaml:"hint"`
	Text     Text   `yaml:"text"`     // the message, or what the schedule is for
	When     Text   `yaml:"when"`     // when the schedule is due, as owners write it; empty: it is a message
	Reminder bool   `yaml:"reminder"` // the schedule reminds a person of it, instead of having the agent do it
}

// Kind is a kind of business: the agents that suit it, and its wins in the order in which they are offered.
type Kind struct {
	ID   string   `yaml:"id"`
	Name Text     `yaml:"name"`
	Team []string `yaml:"team"` // beside the front desk and the IT admin, whom everybody has
	Wins []Win    `yaml:"wins"`
}

// general is the kind of those that have not said theirs.
const general = "other"

//go:embed business.yaml
var file []byte

var kinds = mustRead(file)

// Kinds are all kinds of business, in the order in which they are offered.
func Kinds() []Kind { return slices.Clone(kinds) }

// KnownKind reports whether there is such a kind.
func KnownKind(id string) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { return k.ID == id })
}

// KindOf is a kind by its id; what is none gets the general one.
func KindOf(id string) Kind {
	if !KnownKind(id) {
		id = general
	}
	return kinds[slices.IndexFunc(kinds, func(k Kind) bool { return k.ID == id })]
}

func mustRead(raw []byte) []Kind {
	all, err := read(raw)
	if err != nil {
		panic("business.yaml: " + err.Error()) // it is part of the program
	}
	return all
}

// read fills in what the wins of all kinds have in common.
func read(raw []byte) ([]Kind, error) {
	var book struct {
		Wins  map[Task]Win `yaml:"wins"`
		Kinds []Kind       `yaml:"kinds"`
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&book); err != nil {
		return nil, fmt.Errorf("read kinds of business: %w", err)
	}
	for _, k := range book.Kinds {
		for i, own := range k.Wins {
			w, ok := book.Wins[own.Task]
			if !ok {
				return nil, fmt.Errorf("%s: there is no win %q", k.ID, own.Task)
			}
			w.Task = own.Task
			if own.Text != nil {
				w.Text = own.Text
			}
			if own.When != nil {
				w.When = own.When
			}
			k.Wins[i] = w
		}
	}
	return book.Kinds, nil
}
