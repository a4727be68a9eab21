package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"
)

// maxPart is how much of a text from outside this program becomes one note, in bytes.
const maxPart = 800

// parse reads the notes of a file: each item of a list and each paragraph is one. A file that somebody else wrote has notes as
// well: without comments, they come from the file, and begin with the heading above them.
func parse(file, text string) []Note {
	p := parser{file: file, of: ofFile(file), day: dayOf(file), seen: map[string]int{}, ids: map[string]bool{}}
	for i, line := range strings.Split(text, "\n") {
		p.line(i+1, strings.TrimRight(line, " \t\r"))
	}
	p.end()
	return p.notes
}

type parser struct {
	file, of string
	day      time.Time
	notes    []Note
	seen     map[string]int // texts without an id, to tell equal ones apart
	ids      map[string]bool

	heading string
	begun   int // line on which the part began; 0 between parts
	part    []string
	fenced  bool // within a block of code, headings are none
}

func (p *parser) line(no int, line string) {
	if strings.HasPrefix(strings.TrimSpace(line), "```") {
		p.fenced = !p.fenced
	}
	switch {
	case line == "":
		p.end()
		return
	case strings.HasPrefix(line, "#") && !p.fenced:
		p.end()
		p.heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		return
	case isItem(line):
		p.end()
	}
	if p.begun == 0 {
		p.begun = no
	}
	p.part = append(p.part, strings.TrimSpace(line))
}

func isItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}

// end makes notes of the part that was read.
func (p *parser) end() {
	if p.begun == 0 {
		return
	}
	text := strings.Join(p.part, " ")
	if isItem(text) {
		text = text[2:]
	}
	// What bears a mark that cannot be read any more counts as what the mark may have said at worst.
	marked := strings.Contains(text, opens)
	text, c, ours := cutComment(text)
	ours = ours && !p.ids[c.ID] // a line that was copied is not the note
	p.ids[c.ID] = true
	text = plain(text)
	if !ours && p.heading != "" {
		text = p.heading + ": " + text
	}
	all := []string{text}
	if !ours {
		all = pieces(text)
	}
	for _, piece := range all {
		n := Note{ID: c.ID, Of: p.of, File: p.file, Line: p.begun, Text: piece, Day: p.day, About: c.About}
		n.last, n.pieces = p.begun+len(p.part)-1, len(all)
		if !ours {
			n.About = About{From: File}
			if marked {
				n.From = Outside
			}
			n.ID = p.name(piece)
		}
		p.notes = append(p.notes, n)
	}
	p.begun, p.part = 0, nil
}

// cutComment takes the comment of this program off the end of a text.
func cutComment(text string) (string, comment, bool) {
	at := strings.LastIndex(text, opens)
	if at < 0 || !strings.HasSuffix(text, closes) {
		return text, comment{}, false
	}
	var c comment
	err := json.Unmarshal([]byte(text[at+len(opens):len(text)-len(closes)]), &c)
	if _, known := trust[c.From]; err != nil || c.ID == "" || !known {
		return text[:at], comment{}, false
	}
	return text[:at], c, true
}

// name makes an id of what a note says and where: the same as long as both stay.
func (p *parser) name(text string) string {
	p.seen[text]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", p.file, text, p.seen[text]))
	return "f" + hex.EncodeToString(sum[:8])
}

// pieces cuts a long text between sentences, or where it must be between words.
func pieces(text string) (all []string) {
	for len(text) > maxPart {
		at := strings.LastIndex(text[:maxPart], ". ") + 1
		if at < maxPart/4 {
			at = strings.LastIndexByte(text[:maxPart], ' ')
		}
		if at <= 0 {
			at = len(shorten(text, maxPart))
		}
		all = append(all, strings.TrimSpace(text[:at]))
		text = strings.TrimSpace(text[at:])
	}
	if text != "" {
		all = append(all, text)
	}
	return all
}

// ofFile is whose a file is: the first folder of its path.
func ofFile(file string) string {
	first, _, found := strings.Cut(file, "/")
	if !found {
		return Shared
	}
	return first
}

// dayOf is the day that a file's name says.
func dayOf(file string) time.Time {
	day, err := time.Parse(time.DateOnly, strings.TrimSuffix(path.Base(file), ".md"))
	if err != nil {
		return time.Time{}
	}
	return day
}
