package redact

import (
	"bytes"
	"strings"
)

// placeholder says whether a value only shows where one belongs: a variable, a reference, a mask, a mark.
func placeholder(v []byte) bool {
	v = bytes.Trim(v, "\"'` ")
	if len(v) == 0 || masked(v) || templated(v) || prompt(v) {
		return true
	}
	low := strings.ToLower(string(v))
	if strings.Contains(low, "example") || yours(v) || (strings.HasPrefix(low, "my-") || strings.HasPrefix(low, "my_")) && !hasDigit(v) ||
		strings.Contains(low, "changeme") || strings.Contains(low, "change-me") || strings.Contains(low, "change_me") || strings.Contains(low, "placeholder") || strings.Contains(low, "redacted") {
		return true
	}
	if strings.HasSuffix(low, "...") && len(low) <= 24 || strings.HasSuffix(low, "…") && len(low) <= 24 {
		return true
	}
	parts := strings.FieldsFunc(low, func(r rune) bool { return strings.ContainsRune("_-. /:", r) })
	if !hasDigit(v) {
		parts = wordsOf(v) // capitals begin words only where no chance made them
	}
	if jumbled(v) {
		return false // chance writes short words too
	}
	for _, w := range parts {
		if (placeholderWords[w] || w == "your") && (len(w) > 3 || !hasDigit(v) || !mixedCase(v)) {
			return true
		}
	}
	return false
}

// prompt says whether v is what a shell shows before it waits for a command: user@host:~$.
func prompt(v []byte) bool {
	if !among("#$", v[len(v)-1]) {
		return false
	}
	user, place, ok := bytes.Cut(v[:len(v)-1], []byte("@"))
	host, dir, deep := bytes.Cut(place, []byte(":"))
	return ok && deep && identifier(user) && identifier(host) && len(dir) > 0 && (dir[0] == '/' || dir[0] == '~' && (len(dir) == 1 || dir[1] == '/'))
}

// yours says whether v begins with the word that shows who is to put something there.
func yours(v []byte) bool {
	return bytes.HasPrefix(v, []byte("your")) || bytes.HasPrefix(v, []byte("Your")) || bytes.HasPrefix(v, []byte("YOUR"))
}

// masked says whether v is made of one or two signs over and over, begins with a row of stars, or is little but one.
func masked(v []byte) bool {
	if bytes.Contains(v, []byte("****")) && len(v)-bytes.Count(v, []byte("*")) <= 12 {
		return true
	}
	if bytes.HasPrefix(v, []byte("****")) || bytes.HasPrefix(v, []byte("••••")) || len(v) >= 6 && bytes.Count(v, []byte("x"))+bytes.Count(v, []byte("X"))+bytes.Count(v, []byte("*")) > len(v)*6/10 {
		return true
	}
	seen := map[byte]bool{}
	for _, c := range v {
		if seen[c|0x20] = true; len(seen) > 2 || len(seen) == 2 && isDigit(c) {
			return false
		}
	}
	return len(v) >= 3 && len(seen) == 1 || len(v) >= 8
}

var openers = []string{
	"${", "$(", "{{", "<", "#{", "@{", "%{", "%(", "&lt;", "&#x3c;", "&#60;", "\\u003c", "[secret:", "[redacted", "secret_ref(", "!vault", "!ref", "!sub",
	"op://", "ref+", "@@", ".*", ".+", "[^", "([^", "(.*", "(?", "\\s", "\\w", "[a-z", "[0-9", "[a-f", "arn:aws:", "vault:", "env:", "env(", "env.", "file:", "file(", "ssm:", "ext:", "var.", "os.environ", "process.env", "getenv", "$env:", "secrets.", "enc[", "aws-ssm:", "projects/", "keyvault", "@microsoft.keyvault", "%!", "{%", "data.", "~/", "./", "../", "http://", "https://",
}

// templated says whether v is filled in by something else.
func templated(v []byte) bool {
	for _, o := range openers {
		if hasFold(v, o) {
			return true
		}
	}
	switch {
	case joinedText(v), bytes.HasPrefix(v, []byte("__")) && bytes.HasSuffix(v, []byte("__")):
		return true
	case v[0] == '{' && v[len(v)-1] == '}', v[0] == '(' && v[len(v)-1] == ')', v[0] == '[' && v[len(v)-1] == ']', len(v) > 2 && v[0] == '%' && v[len(v)-1] == '%':
		return true
	case v[0] == '$' && len(v) > 1:
		return variable(v[1:])
	case v[0] == '%' && len(v) <= 3:
		return true
	}
	return false
}

// joinedText says whether v is the name of something between two texts that a program joins to it.
func joinedText(v []byte) bool {
	spaced := len(v) > 0 && v[0] == ' '
	v = bytes.TrimSpace(v)
	if len(v) < 2 || v[0] != '+' && v[0] != '&' || v[0] == '+' && !spaced && v[len(v)-1] != '+' && (len(v) > 12 || class[v[1]]&clsLower == 0) {
		return false
	}
	v = bytes.Trim(v[1:], " +&.")
	return identifier(v) && (v[0] == '_' || isLetter(v[0])) && !jumbled(v) && (!hasDigit(v) || wordy(v))
}

// variable says whether v could name a variable: capitals, or small letters only.
func variable(v []byte) bool {
	lower := false
	for _, c := range v {
		lower = lower || class[c]&clsLower != 0
		if !isWord(c) && c != '.' && c != ':' && c != '[' && c != ']' && c != '-' && c != '>' && c != '\'' && c != '$' {
			return false
		}
	}
	return !lower || !hasDigit(v)
}

// generic says whether b is the name of a kind of value, as schemas and examples give it.
func generic(b []byte) bool { return genericValue[strings.ToLower(string(b))] }
