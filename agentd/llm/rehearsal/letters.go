package rehearsal

import (
	"strings"
	"unicode"

	"gatehouse/agentd/lazyre"
)

var (
	said    = lazyre.MustCompile(`(?is)^.*?(?:(?:,\s*)?\b(?:that|saying|to say|dass)\b|:|,)\s*(.+)$`)
	another = lazyre.MustCompile(`(?i)^(?:[\s,;&]|\b(?:and|und|or|oder|b?cc|to|an)\b:?)*` + addressForm)
)

func mailSkill(t turn) move {
	to := address.FindString(t.task)
	sent := t.used("message")
	if len(sent) == 0 {
		if _, rest, _ := strings.Cut(t.task, to); another.MatchString(rest) {
			return move{text: t.in("I write to one address at a time. Please ask once for each of them; nothing was sent.", "Ich schreibe immer nur an eine Adresse. Bitte fragen Sie für jede einzeln; es wurde nichts gesendet.")}
		}
		text := sentence(wording(t.task, to))
		if text == "" {
			return move{text: t.in("What shall the message to "+to+" say?", "Was soll in der Nachricht an "+to+" stehen?")}
		}
		return move{
			text: t.in("I write to "+to+". It leaves the business, so a person looks at it first.", "Ich schreibe an "+to+". Das verlässt den Betrieb, deshalb sieht es vorher eine Person an."),
			uses: []use{{"message", map[string]string{"to": to, "subject": subject(text), "text": letter(t, text)}}},
		}
	}
	text := sent[len(sent)-1].text
	first, _, _ := strings.Cut(text, "\n")
	who, ok := strings.CutPrefix(first, "Sent to ")
	if !ok {
		return move{text: refusalText(t, text)}
	}
	who = strings.TrimSuffix(who, ".")
	return move{text: t.in("I have sent the e-mail to "+who+".", "Ich habe die E-Mail an "+who+" gesendet.") + edited(t, text)}
}

// wording is what the message shall say: what stands behind the address.
func wording(task, to string) string {
	_, rest, _ := strings.Cut(task, to)
	if m := said.FindStringSubmatch(rest); m != nil {
		rest = m[1]
	}
	return strings.Trim(rest, " \t\n\"“”„'.,:")
}

// sentence begins with a capital and ends with a mark.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	if strings.ContainsRune(".!?", r[len(r)-1]) {
		return string(r)
	}
	return string(r) + "."
}

func subject(text string) string {
	text = strings.TrimRight(text, ".!?")
	words := strings.Fields(text)
	if len(words) > 8 {
		return strings.Join(words[:8], " ") + " …"
	}
	return strings.Join(words, " ")
}

func letter(t turn, text string) string {
	return t.in("Hello,\n\n"+text+"\n\nKind regards", "Guten Tag,\n\n"+text+"\n\nFreundliche Grüße")
}

// What a note shall say stands behind the word for it, or else behind the verb.
var (
	goal      = lazyre.MustCompile(`(?i)\b(?:to|into|in|as|nach|called|named|namens)\s+(?:the |a |an |die |eine )?(?:new |neue )?(?:file |datei |note |notiz )?(` + pathForm + `)`)
	afterNoun = lazyre.MustCompile(`(?is)^.*?\b(?:note|notice|memo|notiz|aushang|notiere?)\b(.*)$`)
	afterVerb = lazyre.MustCompile(`(?is)^.*?\b(?:write down|remember|save|write|put|create|make|merk\w*|schreib\w*|erstelle?)\b\s*` + newFile + `?(.*)$`)
	exactly   = lazyre.MustCompile(`(?i)^\s*(?:(?:with|mit)\s+(?:the |dem )?(?:text|contents?|words?|inhalt)|containing)\b[\s:,]*`)
	loosely   = lazyre.MustCompile(`(?i)^\s*(?::|,?\s*(?:that says|that|saying|to say|dass)\b[\s:,]*|,)`)
)

// noted is where a task wants something written, empty when it does not say, and what. A quotation, and what follows
// "with the text", is kept as it stands; other words become a sentence.
func noted(task string) (path, text string) {
	bare, quotes := hide(task)
	path, bare = goalOf(bare)
	exact := exactly.MatchString(bare)
	bare = strings.Trim(loosely.ReplaceAllString(exactly.ReplaceAllString(bare, ""), ""), " \t\n':,")
	switch one := len(quotes) == 1; {
	case one && strings.Trim(bare, " ."+string(firstQuote)) == "":
		return path, unquoted(quotes[0])
	case exact:
		return path, show(bare, quotes)
	}
	return path, sentence(show(bare, quotes))
}

// goalOf is the path that something shall be written to, and what the task says besides.
func goalOf(bare string) (path, rest string) {
	at := goal.FindStringSubmatchIndex(bare)
	if at == nil {
		path = pathIn(bare, "")
		return path, wanted(strings.Replace(bare, path, " ", 1))
	}
	path, rest = pathIn(bare[at[2]:at[3]], ""), bare[at[1]:]
	if strings.HasPrefix(rest, ":") { // all that stands before it asks for the writing
		return path, rest
	}
	return path, wanted(strings.TrimSpace(bare[:at[0]]) + " " + strings.TrimSpace(rest))
}

// wanted is what follows the words that ask for the writing.
func wanted(bare string) string {
	for _, where := range []*lazyre.Regexp{afterNoun, afterVerb} {
		if m := where.FindStringSubmatch(bare); m != nil {
			return m[1]
		}
	}
	return bare
}

// noteSkill writes a note into a file; the tool shows it as a diff first.
func noteSkill(t turn) move {
	if m, ok := written(t); ok {
		return m
	}
	path, text := noted(t.task)
	if text == "" {
		return move{text: t.in("What shall the note say?", "Was soll in der Notiz stehen?")}
	}
	if path == "" {
		path = "notes/" + slug(text) + ".txt"
	}
	return move{
		text: t.in("I write it to `"+path+"`.", "Ich schreibe es nach `"+path+"`."),
		uses: []use{{"file_write", map[string]string{"path": path, "content": text + "\n"}}},
	}
}

var aLine = lazyre.MustCompile(`(?i)^(?:an?|the|one|eine|die)(?: \w+)? (?:line|zeile)$`)

// added is the line that a task wants added, and the path of the file. The line stands before the path or behind it.
func added(task string) (line, path string) {
	bare, quotes := hide(task)
	m := add.FindStringSubmatchIndex(bare)
	line, path = bare[m[2]:m[3]], bare[m[4]:m[5]]
	if aLine.MatchString(line) {
		line = loosely.ReplaceAllString(bare[m[5]:], "")
	}
	return strings.Trim(show(line, quotes), " \"“”„'`"), pathIn(path, path)
}

// appendSkill reads a file and writes it with one more line.
func appendSkill(t turn) move {
	if m, ok := written(t); ok {
		return m
	}
	line, path := added(t.task)
	if line == "" {
		return move{text: t.in("Which line shall I add to `"+path+"`?", "Welche Zeile soll ich in `"+path+"` ergänzen?")}
	}
	got := t.used("file_read")
	if len(got) == 0 {
		return move{text: t.in("I read the file first.", "Ich lese die Datei zuerst."), uses: []use{{"file_read", map[string]string{"path": path}}}}
	}
	before := got[0].text
	if state, _ := notDone(before); state != "" {
		return move{text: refusalText(t, before) + goneHint(t, path)}
	}
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	if strings.HasPrefix(before, "- ") {
		line = "- " + line
	}
	return move{
		text: t.in("I add the line to `"+path+"`.", "Ich ergänze die Zeile in `"+path+"`."),
		uses: []use{{"file_write", map[string]string{"path": path, "content": before + line + "\n"}}},
	}
}

// written reports on the last file_write, when there was one.
func written(t turn) (move, bool) {
	all := t.used("file_write")
	if len(all) == 0 {
		return move{}, false
	}
	text := all[len(all)-1].text
	first, _, _ := strings.Cut(text, "\n")
	for verb, words := range map[string][2]string{"Wrote ": {"I have written", "geschrieben"}, "Changed ": {"I have changed", "geändert"}} {
		if what, ok := strings.CutPrefix(first, verb); ok {
			what = strings.TrimSuffix(what, ".")
			return move{text: t.in(words[0]+" "+what+".", "Ich habe "+what+" "+words[1]+".") + edited(t, text)}, true
		}
	}
	return move{text: refusalText(t, text)}, true
}

// slug is a file name made of the first words of a text.
func slug(text string) string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if words = append(words, w); len(words) == 4 {
			break
		}
	}
	if len(words) == 0 {
		return "note"
	}
	return strings.Join(words, "-")
}
