package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/wire"
)

// Origin says where a note comes from.
type Origin = wire.MemoryOrigin

// Origins.
const (
	Owner   = wire.MemoryFromOwner
	Agent   = wire.MemoryFromAgent
	Outside = wire.MemoryFromOutside
	File    = wire.MemoryFromFile
)

// trust is how far a note of each origin is believed, 0 to 100. It weighs in searches.
var trust = map[Origin]int{Owner: 100, Agent: 60, File: 60, Outside: 20}

// Shared is the folder whose notes the whole team reads. No agent has this id.
const Shared = wire.MemoryShared

// Lasting is the file of what does not age; other notes stand in the file of their day.
const Lasting = "MEMORY.md"

// MaxText is how long one note can be, in characters.
const MaxText = wire.MaxMemoryText

// Note is one thing that is remembered.
type Note struct {
	ID    string    // of the note as long as it exists; made of its place where the file does not name one
	Of    string    // an agent's id, or Shared
	File  string    // from the root of memory, with slashes
	Line  int       // from 1
	Text  string    // one paragraph
	Day   time.Time // midnight UTC of its day; zero for what lasts
	About           // what the comment behind it says

	last   int // last line
	pieces int // how many notes its paragraph was cut into
}

// About is where a note comes from, as it stands in the file behind the note.
type About struct {
	From Origin    `json:"from"`
	Run  string    `json:"run,omitempty"`  // the run in which it was written
	By   string    `json:"by,omitempty"`   // the agent that wrote it, where that is not the folder's
	At   time.Time `json:"at,omitzero"`    // when it was written
	Core bool      `json:"core,omitempty"` // the owner stated it as a fact; only a signed word changes it
	Sign string    `json:"sign,omitempty"` // the signed act that made it core or confirmed it
	Held string    `json:"held,omitempty"` // why it is put aside; no prompt and no search of an agent holds it
}

// Trust is how far the note is believed, 0 to 100.
func (a About) Trust() int { return trust[a.From] }

// Clean says that nothing of the note came from outside the business.
func (a About) Clean() bool { return a.From != Outside }

const (
	bullet = "- "
	opens  = " <!-- note "
	closes = " -->"
)

// comment is what stands behind a note.
type comment struct {
	ID string `json:"id"`
	About
}

// line is a note as it stands in its file.
func (n Note) line() (string, error) {
	// JSON writes < and > as escapes, so that nothing in it ends the comment.
	about, err := json.Marshal(comment{n.ID, n.About})
	if err != nil {
		return "", err
	}
	return bullet + n.Text + opens + string(about) + closes, nil
}

// plain makes a text fit for one line: no line breaks, no signs that cannot be seen, nothing that looks like a comment of ours.
func plain(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "<!--", "‹!--")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == '\u007f' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// shorten cuts a text at a rune within most bytes.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// String is the note as models read it: with its id, its day and how sure it is, before the text, which could say the same of itself.
func (n Note) String() string {
	when := ""
	if !n.Day.IsZero() {
		when = ", " + n.Day.Format(time.DateOnly)
	}
	return fmt.Sprintf("- [%s%s; note %s] %s", n.said(), when, n.ID, n.Text)
}

// said is where a note comes from, in words for models.
func (n Note) said() string {
	switch {
	case n.Core:
		return "stated by the owner"
	case n.From == Owner:
		return "confirmed by the owner"
	case n.From == Outside:
		return "from outside the business, not confirmed"
	case n.From == File:
		return "from a file of notes"
	}
	return "noted by an agent"
}
