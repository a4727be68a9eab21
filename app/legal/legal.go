package legal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"gatehouse/app/document"
)

// Names are the pages, in the order in which they are linked. Each is its address and the name of its file: terms.md, and
// terms.de.md for the readers of one language.
func Names() []string { return []string{"terms", "privacy", "imprint"} }

// MaxFile is how long a text may be, in bytes.
const MaxFile = 256 << 10

// Text is one page in one language.
type Text struct {
	document.Document
	Locale string // of the text; empty when its file names none
}

// Pages are the texts of an operator. The zero value has none.
type Pages struct {
	locales []string
	texts   map[string]map[string]Text // by page and locale
}

// Read reads the pages from a folder. locales are the languages of the hub, the usual one first. A file that is not there or
// blank is a page that has not been written; one that cannot be read, is too long or no text is an error that names it.
func Read(dir fs.FS, locales []string) (Pages, error) {
	p := Pages{locales: locales, texts: map[string]map[string]Text{}}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return Pages{}, err
	}
	var bad []error
	for _, e := range entries {
		name, locale, ours := parseName(e.Name())
		if !ours {
			continue
		}
		if locale != "" && !slices.Contains(locales, locale) {
			bad = append(bad, fmt.Errorf("%s: pages are in %s, not in %q", e.Name(), strings.Join(locales, ", "), locale))
			continue
		}
		if err := p.add(dir, e.Name(), name, locale); err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", e.Name(), err))
		}
	}
	if len(bad) > 0 {
		return Pages{}, errors.Join(bad...)
	}
	return p, nil
}

// parseName reads terms.md and terms.de.md; ours is false for other files.
func parseName(file string) (name, locale string, ours bool) {
	stem, isMarkdown := strings.CutSuffix(file, ".md")
	name, locale, _ = strings.Cut(stem, ".")
	return name, locale, isMarkdown && slices.Contains(Names(), name)
}

func (p *Pages) add(dir fs.FS, file, name, locale string) error {
	f, err := dir.Open(file)
	if err != nil {
		return withoutPath(err)
	}
	defer func() { _ = f.Close() }() // was only read
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	switch {
	case err != nil:
		return withoutPath(err)
	case len(b) > MaxFile:
		return fmt.Errorf("longer than %d KB", MaxFile>>10)
	case !utf8.Valid(b) || strings.ContainsRune(string(b), 0):
		return errors.New("not a text in UTF-8")
	}
	src := strings.TrimPrefix(string(b), "\ufeff")
	if strings.TrimSpace(src) == "" {
		return nil
	}
	if p.texts[name] == nil {
		p.texts[name] = map[string]Text{}
	}
	p.texts[name][locale] = Text{document.Parse(src), locale}
	return nil
}

// withoutPath is the reason of an error about a file that is named already.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Written are the pages that have a text, in order.
func (p Pages) Written() []string { return p.those(true) }

// Missing are the pages that have none.
func (p Pages) Missing() []string { return p.those(false) }

func (p Pages) those(written bool) (all []string) {
	for _, name := range Names() {
		if (len(p.texts[name]) > 0) == written {
			all = append(all, name)
		}
	}
	return all
}

// Of is a page for the readers of a locale: in their language, else the text for everybody, else in another language. ok is
// false when the page has not been written.
func (p Pages) Of(name, locale string) (t Text, ok bool) {
	for _, l := range append([]string{locale, ""}, p.locales...) {
		if t, ok := p.texts[name][l]; ok {
			return t, true
		}
	}
	return Text{}, false
}
