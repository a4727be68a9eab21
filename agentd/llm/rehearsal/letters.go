package rehearsal

import (
	"regexp"
	"strings"
	"unicode"

	"gatehouse/agentd/lazyre"
)

var said = lazyre.MustCompile(`(?is)^.*?(?:\bthat\b|\bsaying\b|\bto say\b|\bdass\b|:|,)\s*(.+)$`)

func mailSkill(t turn) move {
	to := address.FindString(t.task)
	sent := t.used("message")
	if len(sent) == 0 {
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
	afterNoun = lazyre.MustCompile(`(?is)^.*?\b(?:note|memo|notiz|notiere?)\b\s*(?:that|:|,|dass|to say)?\s*(.+)$`)
	afterVerb = lazyre.MustCompile(`(?is)^.*?\b(?:write down|remember|save|write|merk\w*)\b\s*(?:that|:|,|dass)?\s*(.+)$`)
)

func noteIn(task string) string {
	for _, where := range []*lazyre.Regexp{afterNoun, afterVerb} {
		if m := where.FindStringSubmatch(task); m != nil {
			return m[1]
		}
	}
	return task
}

// noteSkill writes a note into a file; the tool shows it as a diff first.
func noteSkill(t turn) move {
	if m, ok := written(t); ok {
		return m
	}
	path := pathIn(t.task, "")
	text := noteIn(t.task)
	if path != "" {
		text = lazyre.MustCompile(`(?i)\s*\b(to|into|in|as|nach)\s+(the file |die datei )?`+regexp.QuoteMeta(path)).ReplaceAllString(text, "")
		text = strings.ReplaceAll(text, path, "")
	}
	text = sentence(strings.Trim(text, " \t\n\"“”„':,"))
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

// appendSkill reads a file and writes it with one more line.
func appendSkill(t turn) move {
	if m, ok := written(t); ok {
		return m
	}
	m := add.FindStringSubmatch(t.task)
	path := pathIn(m[2], m[2])
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
	line := strings.Trim(m[1], " \"“”„'`")
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
