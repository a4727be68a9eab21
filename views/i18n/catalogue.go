package i18n

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
)

//go:embed en/*.json de/*.json
var files embed.FS

// The catalogues. They are compiled in and tested, so a fault in one can only be met while developing.
var (
	english    = must(load(files, English))
	catalogues = map[string]map[Key]message{English: english, German: must(load(files, German)), Pseudo: english}
)

// message is one entry: plural is set when its text depends on the argument n.
type message struct {
	text   string            // the text, or that of the form "other"
	plural map[string]string // by CLDR form: one, other, …
}

// UnmarshalJSON reads a text or an object of plural forms.
func (m *message) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &m.text)
	}
	if err := json.Unmarshal(b, &m.plural); err != nil {
		return err
	}
	other, ok := m.plural["other"]
	if !ok {
		return fmt.Errorf("plural without \"other\": %s", b)
	}
	m.text = other
	return nil
}

// load merges the files of one language.
func load(from fs.FS, language string) (map[Key]message, error) {
	names, err := fs.Glob(from, path.Join(language, "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[Key]message{}
	for _, name := range names {
		if err := merge(all, from, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

func merge(into map[Key]message, from fs.FS, name string) error {
	b, err := fs.ReadFile(from, name)
	if err != nil {
		return err
	}
	var area map[Key]message
	if err := json.Unmarshal(b, &area); err != nil {
		return err
	}
	for k, m := range area {
		if _, twice := into[k]; twice {
			return fmt.Errorf("key %q stands in another file too", k)
		}
		into[k] = m
	}
	return nil
}

func must(c map[Key]message, err error) map[Key]message {
	if err != nil {
		panic("i18n: " + err.Error())
	}
	return c
}
