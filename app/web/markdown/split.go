package markdown

import (
	"strings"
	"unicode/utf8"
)

const (
	maxBlock = 8 << 10 // bytes; a longer block is cut, so that the open tail stays cheap
	maxLine  = 4 << 10 // bytes; a longer line is cut
)

// Splitter cuts a growing text into finished blocks and one open tail. What is finished never changes again,
// however the text arrives: the blocks depend on the text alone, not on its pieces. The zero value is ready.
type Splitter struct {
	block strings.Builder // the open block up to the last whole line
	line  []byte          // the line that has no end yet
	mid   bool            // line continues a line that was cut for its length
	blank bool            // the line before was blank
	list  string          // marker kind of the list that the open block began with
	fence fence
	last  string // the line before
	head  string // header of the table that the open block is in
}

// Write takes the next piece of the text and returns the blocks that it finished, in order.
func (s *Splitter) Write(piece string) []string {
	var done []string
	for piece != "" {
		room := maxLine + utf8.UTFMax - len(s.line)
		n := min(room, len(piece))
		if i := strings.IndexByte(piece[:n], '\n'); i >= 0 {
			s.line = append(s.line, piece[:i]...)
			done = s.endLine(done, "\n")
			piece = piece[i+1:]
			continue
		}
		s.line = append(s.line, piece[:n]...)
		piece = piece[n:]
		if len(s.line) == maxLine+utf8.UTFMax {
			done = s.cutLine(done)
		}
	}
	return done
}

// Tail is the open block: what has been written since the last finished one.
func (s *Splitter) Tail() string { return s.block.String() + string(s.line) }

// Split cuts a whole text.
func Split(text string) (done []string, tail string) {
	var s Splitter
	done = s.Write(text)
	return done, s.Tail()
}

// cutLine treats the first maxLine bytes of an overlong line as a line of their own.
func (s *Splitter) cutLine(done []string) []string {
	n := maxLine
	for n > 0 && !utf8.RuneStart(s.line[n]) && maxLine-n < utf8.UTFMax {
		n--
	}
	rest := append([]byte(nil), s.line[n:]...)
	s.line = s.line[:n]
	done = s.endLine(done, "")
	s.line, s.mid = rest, true
	return done
}

func (s *Splitter) endLine(done []string, end string) []string {
	line, mid := string(s.line), s.mid
	s.line, s.mid = s.line[:0], false
	if !mid && s.begins(line) {
		done = s.finish(done)
	}
	if s.block.Len()+len(line) > maxBlock {
		done = s.force(done)
	}
	if !mid {
		s.note(line)
	}
	s.block.WriteString(line + end)
	return done
}

// begins says whether line starts a new block: after a blank line, outside a fence, and not a further part of a list.
func (s *Splitter) begins(line string) bool {
	if !s.blank || s.fence.open() || isBlank(line) || isBlankText(s.block.String()) {
		return false
	}
	if strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, " \t") {
		return false
	}
	return s.list == "" || marker(line) != s.list
}

// note remembers what line means for the lines after it.
func (s *Splitter) note(line string) {
	if isBlankText(s.block.String()) {
		s.list = marker(line)
	}
	s.fence = s.fence.after(line)
	s.blank = isBlank(line)
	s.noteTable(line)
}

// noteTable remembers the header of a table until the table ends.
func (s *Splitter) noteTable(line string) {
	switch {
	case s.fence.open() || !strings.Contains(line, "|"):
		s.head = ""
	case s.head == "" && isDelimiter(line) && strings.Contains(s.last, "|"):
		s.head = s.last + "\n" + line + "\n"
	}
	s.last = line
}

// isDelimiter says whether line stands between the header and the rows of a table.
func isDelimiter(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, " \t\r|:-") == ""
}

func (s *Splitter) finish(done []string) []string {
	done = append(done, s.block.String())
	s.block.Reset()
	return done
}

// force ends a block that grew too long; a fence is closed and opened again on the other side, a table gets its header
// again.
func (s *Splitter) force(done []string) []string {
	if isBlankText(s.block.String()) {
		return done
	}
	if s.fence.open() {
		s.block.WriteString("\n" + s.fence.close() + "\n")
	}
	done = s.finish(done)
	switch {
	case s.fence.open():
		s.block.WriteString(s.fence.close() + "\n")
	case s.head != "" && len(s.head) < maxBlock/4:
		s.block.WriteString(s.head)
	}
	return done
}

func isBlankText(text string) bool { return strings.TrimLeft(text, " \t\r\n") == "" }

func isBlank(line string) bool { return strings.Trim(line, " \t\r") == "" }
