package rehearsal

import (
	"strconv"
	"strings"

	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/llm"
)

// turn is what the model sees of the task at hand.
type turn struct {
	task    string
	files   []string // that a person attached to it
	line    string   // in which they stand, for a colleague to read
	german  bool
	has     map[string]bool // tools it may use
	mates   map[string]bool // ids of colleagues that its instructions name
	uses    []result        // what it has called for this task, with the results
	checked string          // what the answer check said, or empty
	last    string          // the answer before this task, for a bare "yes"
}

// result is a call and what came of it.
type result struct {
	tool string
	args string
	text string
}

// move is what the model does next: say something, and perhaps use tools.
type move struct {
	text string
	uses []use
}

type use struct {
	tool string
	args any
}

// checkHead begins what the runtime says when an answer claims more than the receipts show.
const checkHead = "[Answer check"

var mate = lazyre.MustCompile(`(?m)^- ([a-z][a-z0-9-]*) \(`)

// readTurn finds the task, what was done for it, and who could help.
func readTurn(o llm.Outgoing) turn {
	t := turn{has: map[string]bool{}, mates: map[string]bool{}}
	for _, d := range o.Tools() {
		t.has[d.Name] = true
	}
	at := map[string]int{}
	for _, m := range o.Messages() {
		switch {
		case m.Role == llm.System:
			for _, id := range mate.FindAllStringSubmatch(m.Text, -1) {
				t.mates[id[1]] = true
			}
		case m.Role == llm.User && strings.HasPrefix(m.Text, checkHead):
			t.checked = m.Text
		case m.Role == llm.User:
			t.task, t.line, t.files = attached(strings.TrimSpace(m.Text))
			t.uses, t.checked = nil, ""
		case m.Role == llm.Assistant && len(m.Calls) == 0:
			t.last = m.Text
		case m.Role == llm.Assistant:
			for _, c := range m.Calls {
				at[c.ID] = len(t.uses)
				t.uses = append(t.uses, result{tool: c.Name, args: c.Args})
			}
		case m.Role == llm.ToolReply:
			if i, ok := at[m.CallID]; ok && i < len(t.uses) {
				t.uses[i].text = m.Text
			}
		}
	}
	t.german = isGerman(t.task)
	return t
}

// The line in which the runtime names what a person attached, and a name in it.
var (
	fileLine = lazyre.MustCompile(`\n\n\[Attached by the person, [^"\n]*("[^\n]*")\]$`)
	fileName = lazyre.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// attached takes the files that a person attached off a task.
func attached(text string) (task, line string, files []string) {
	m := fileLine.FindStringSubmatch(text)
	if m == nil {
		return text, "", nil
	}
	for _, quoted := range fileName.FindAllString(m[1], -1) {
		if name, err := strconv.Unquote(quoted); err == nil {
			files = append(files, name)
		}
	}
	return strings.TrimSuffix(text, m[0]), m[0], files
}

var englishWords = lazyre.MustCompile(
	`(?i)\b(the|is|are|what|which|how|can|you|please|delete|write|read|run|send|email|show|list|that|we|my|our|of|and)\b`,
)

var germanWords = lazyre.MustCompile(`(?i)\b(wie|voll|bitte|lösche?n?|entferne?n?|schreib(e|en)?|zeige?n?|lies|welche|dateien|und|die|das|der|ist|eine?n?|dass|wir|platte|festplatte|speicher|notiz|führe?|hallo|was|kannst|du|sie|hilfe|danke|frag|auf|guten|tag|lang|lange|antwort|gib|mir|morgenbericht)\b|[äöüß]`)

// isGerman compares how many words only German has, and only English.
func isGerman(s string) bool {
	bare, _ := hide(filePath.ReplaceAllString(s, " "))
	german := len(germanWords.FindAllString(bare, -1))
	return german > 0 && german >= len(englishWords.FindAllString(bare, -1))
}

// in picks the language of the task.
func (t turn) in(en, de string) string {
	if t.german {
		return de
	}
	return en
}

// used gives the results of a tool, oldest first.
func (t turn) used(tool string) []result {
	var all []result
	for _, r := range t.uses {
		if r.tool == tool {
			all = append(all, r)
		}
	}
	return all
}
