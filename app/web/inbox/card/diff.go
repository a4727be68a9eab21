package card

import (
	"strconv"
	"strings"

	view "gatehouse/views/inbox"
)

// maxDiff is how many lines of a diff a card shows; the run page has the rest.
const maxDiff = 2000

// diffLines reads a unified diff of one file. Lines that are neither header nor change are shown as they are.
func diffLines(unified string) []view.DiffLine {
	var out []view.DiffLine
	var at position
	for line := range strings.Lines(unified) {
		if len(out) == maxDiff {
			return append(out, view.DiffLine{Kind: view.DiffCut})
		}
		line = strings.TrimRight(line, "\r\n")
		if at.header(line) {
			continue
		}
		out = append(out, at.next(line))
	}
	return out
}

// position is where in both files a diff stands.
type position struct {
	old, new int
	begun    bool // behind the first hunk header
}

// header says whether line names the files, which the card does itself.
func (p *position) header(line string) bool {
	return !p.begun && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") || line == "")
}

func (p *position) next(line string) view.DiffLine {
	mark, text := "", ""
	if line != "" {
		mark, text = line[:1], line[1:]
	}
	switch {
	case strings.HasPrefix(line, "@@"):
		p.jump(line)
		return view.DiffLine{Kind: view.DiffHunk, Text: line}
	case mark == "+":
		p.new++
		return view.DiffLine{Kind: view.DiffAdd, New: strconv.Itoa(p.new - 1), Text: text}
	case mark == "-":
		p.old++
		return view.DiffLine{Kind: view.DiffDel, Old: strconv.Itoa(p.old - 1), Text: text}
	case mark == `\`:
		return view.DiffLine{Kind: view.DiffNote, Text: strings.TrimSpace(text)}
	}
	p.old, p.new = p.old+1, p.new+1
	return view.DiffLine{Kind: view.DiffSame, Old: strconv.Itoa(p.old - 1), New: strconv.Itoa(p.new - 1), Text: text}
}

// jump reads "@@ -3,7 +3,9 @@".
func (p *position) jump(line string) {
	p.begun = true
	for f := range strings.FieldsSeq(line) {
		n, _, _ := strings.Cut(f, ",")
		v, err := strconv.Atoi(n)
		switch {
		case err != nil:
		case strings.HasPrefix(n, "-"):
			p.old = -v
		case strings.HasPrefix(n, "+"):
			p.new = v
		}
	}
}
