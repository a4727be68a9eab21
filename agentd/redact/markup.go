package redact

import "bytes"

// marks of HTML and Markdown that stand between a name and its value, without saying anything.
var markup = []string{"</b>", "</strong>", "</em>", "</i>", "</span>", "</label>", "</code>", "</th>", "</td>", "</dt>", "</p>", "<td>", "<dd>", "<code>", "<span>", "<b>", "<strong>", "<br>", "<br/>", "<p>", "<tt>", "</key>", "<string>", "&nbsp;", "**", "__", "`", "*"}

// markedUp reads the value of a name whose sign stands among marks: <b>Password:</b> …, **Password:** …, <td>Password</td><td>….
func markedUp(text []byte, i int) (value, bool) {
	at, sign, marks := i, false, 0
	for n := 0; n < 12 && at < len(text); n++ {
		switch k := markAt(text, at); {
		case k > 0:
			sign = sign || bytes.HasPrefix(text[at:], []byte("<td>")) || bytes.HasPrefix(text[at:], []byte("<string>")) || bytes.HasPrefix(text[at:], []byte("<dd>"))
			at, marks = at+k, marks+1
		case text[at] == ':' && !sign:
			at, sign = at+1, true
		case text[at] == ' ' || (sign || marks > 0) && (text[at] == '\n' || text[at] == '\t'):
			at++
		case !sign || marks == 0:
			return value{}, false
		default:
			return elementValue(text, at)
		}
	}
	return value{}, false
}

// elementValue reads the value at i, up to the next element when signs in it are written as entities.
func elementValue(text []byte, i int) (value, bool) {
	v, ok := readValue(text, i, value{prose: true})
	if k := bytes.IndexByte(text[i:min(lineEnd(text, i), i+maxNameRun)], '<'); ok && !v.quoted && k > 4 && i+k > v.end {
		if b := text[i : i+k]; bytes.IndexByte(b, '&') > 0 && bytes.IndexByte(b, ';') > 0 && !bytes.ContainsAny(b, " \t") {
			v.end = i + k
		}
	}
	return v, ok
}

// skipMarks goes over marks that stand before a value.
func skipMarks(text []byte, at int) int {
	for n := 0; n < 3 && at < len(text); n++ {
		k := markAt(text, at)
		if k == 0 {
			break
		}
		at += k
	}
	return at
}

func markAt(text []byte, i int) int {
	if !among("<&*_`", text[i]) || bytes.HasPrefix(text[i:], []byte("***")) {
		return 0 // nothing, or a mask
	}
	for _, m := range markup {
		if hasFold(text[i:], m) {
			return len(m)
		}
	}
	return 0
}
