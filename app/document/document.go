package document

import (
	"strconv"
	"strings"
)

// Document is a long text as a page shows it.
type Document struct {
	Title    string // of the first heading; empty when the text begins with something else
	Lead     string // Markdown before the first section
	Sections []Section
}

// Section is one part of a document. Its ID is its name in the address of the page, unique within the document.
type Section struct {
	ID, Title string
	Body      string // Markdown
}

// Parse splits a text at its headings of the first two levels. The first heading of the first level is the title.
func Parse(src string) Document {
	var d Document
	body, fence := &d.Lead, ""
	for line := range strings.Lines(strings.ReplaceAll(src, "\r\n", "\n")) {
		title, isHeading := heading(line)
		switch {
		case fence == "" && isHeading && level(line) == 1 && d.Title == "" && d.begins():
			d.Title = title
			continue
		case fence == "" && isHeading:
			d.Sections = append(d.Sections, Section{ID: d.idFor(title), Title: title})
			body = &d.Sections[len(d.Sections)-1].Body
			continue
		}
		fence = fenceAfter(fence, line)
		*body += line
	}
	d.trim()
	return d
}

// begins reports whether nothing but blank lines was read so far.
func (d *Document) begins() bool { return strings.TrimSpace(d.Lead) == "" && len(d.Sections) == 0 }

func (d *Document) trim() {
	d.Lead = strings.TrimSpace(d.Lead)
	for i := range d.Sections {
		d.Sections[i].Body = strings.TrimSpace(d.Sections[i].Body)
	}
}

// heading reads a line such as "## Rules" of the first two levels.
func heading(line string) (title string, ok bool) {
	if n := level(line); n != 1 && n != 2 {
		return "", false
	}
	title = strings.TrimSpace(strings.TrimLeft(line, "#"))
	title = strings.TrimSpace(strings.TrimRight(title, "#"))
	return title, title != ""
}

// level is the level of the heading that a line is; 0 for any other line.
func level(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n == 0 || n == len(line) || line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n
}

// fenceAfter is the mark of the code fence that is open after a line; empty for none.
func fenceAfter(open, line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range []string{"```", "~~~"} {
		switch {
		case !strings.HasPrefix(line, mark):
		case open == "":
			return mark
		case open == mark:
			return ""
		}
	}
	return open
}

// idFor names a section after its title: "Your own files" is your-own-files, a second one your-own-files-2.
func (d *Document) idFor(title string) string {
	id := strings.Join(Words(title), "-")
	if id == "" {
		id = "section"
	}
	for n, name := 2, id; ; n++ {
		if !d.has(name) {
			return name
		}
		name = id + "-" + strconv.Itoa(n)
	}
}

func (d *Document) has(id string) bool {
	for _, s := range d.Sections {
		if s.ID == id {
			return true
		}
	}
	return false
}
