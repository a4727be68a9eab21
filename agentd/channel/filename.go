package channel

import (
	"fmt"
	"mime"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/redact"
)

// maxName is how many bytes the name of a file keeps: file systems count them, and take 255 at most.
const maxName = 110

// FileName makes a name of a file of what a sender calls it: letters, digits, and a few signs; never hidden, never a folder, and no
// two are the same.
func FileName(name, kind string, n int) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '.', r == '-', r == '_':
			return r
		case r == ' ':
			return '_'
		}
		return -1
	}, name)
	name = strings.Trim(name, "._-")
	if name == "" || redact.Text(name) != name {
		name = "file" + extension(kind)
	}
	if len(name) > maxName {
		ext := clip(path.Ext(name), 20)
		name = clip(name, maxName-len(ext)) + ext
	}
	return fmt.Sprintf("%d-%s", n, name)
}

// clip keeps the whole characters of the first bytes.
func clip(s string, most int) string {
	for len(s) > most {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

func extension(kind string) string {
	if all, err := mime.ExtensionsByType(kind); err == nil && len(all) > 0 {
		return all[0]
	}
	return ""
}
