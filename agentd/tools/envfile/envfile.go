package envfile

import (
	"fmt"
	"regexp"
	"strings"

	"gatehouse/agentd/redact"
)

// MaxSize is the largest file that is read, in bytes.
const MaxSize = 1 << 20

// File is a file of settings, line by line.
type File struct{ lines []line }

type line struct {
	raw   string // as it stands, without its end
	key   string // empty: a comment or something else
	value string // unquoted
}

var assignment = regexp.MustCompile(`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$`)

// Parse reads a file. Every text is one: what is no setting is kept as it is.
func Parse(text string) *File {
	f := &File{}
	for raw := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		l := line{raw: raw}
		if m := assignment.FindStringSubmatch(raw); m != nil {
			l.key, l.value = m[1], unquote(strings.TrimRight(m[2], "\r"))
		}
		f.lines = append(f.lines, l)
	}
	if text == "" {
		f.lines = nil
	}
	return f
}

// unquote gives the value as a program reads it.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		inner := s[1 : len(s)-1]
		if s[0] == '"' {
			inner = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`").Replace(inner)
		}
		return inner
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	return s
}

// Keys lists the names in their order, each once.
func (f *File) Keys() []string {
	var all []string
	seen := map[string]bool{}
	for _, l := range f.lines {
		if l.key != "" && !seen[l.key] {
			seen[l.key] = true
			all = append(all, l.key)
		}
	}
	return all
}

// Get gives the value of a setting; of one that stands there twice the last, as programs do.
func (f *File) Get(key string) (value string, ok bool) {
	for _, l := range f.lines {
		if l.key == key {
			value, ok = l.value, true
		}
	}
	return value, ok
}

// Set changes a setting wherever it stands, or adds it at the end. It says whether that changed anything.
func (f *File) Set(key, value string) bool {
	if now, ok := f.Get(key); ok && now == value {
		return false
	}
	found := false
	for i, l := range f.lines {
		if l.key == key {
			f.lines[i], found = written(key, value), true
		}
	}
	if !found {
		f.lines = append(f.lines, written(key, value))
	}
	return true
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]*$`)

// written is a line that sh, compose and dotenv read alike.
func written(key, value string) line {
	out := value
	switch {
	case plain.MatchString(value):
	case !strings.Contains(value, "'"):
		out = "'" + value + "'"
	default:
		out = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(value) + `"`
	}
	return line{raw: key + "=" + out, key: key, value: value}
}

// Text is the file as it is written.
func (f *File) Text() string {
	var b strings.Builder
	for _, l := range f.lines {
		b.WriteString(l.raw + "\n")
	}
	return b.String()
}

// secretKey are names of settings whose values sign somebody in.
var secretKey = regexp.MustCompile(`(?i)pass|secret|token|credential|private|_key|key_|apikey|^key$|_dsn$|database_url|_uri$|salt|auth|cert|signing|encrypt|cookie|session|license`)

// Secret says whether a setting may hold a secret: by its name, or because redaction finds one in it.
func Secret(key, value string) bool {
	pair := key + "=" + value
	return value != "" && (secretKey.MatchString(key) || redact.Text(pair) != pair)
}

// Hidden stands for a value that is not shown.
func Hidden(value string) string {
	if value == "" {
		return "(empty)"
	}
	return fmt.Sprintf("(hidden, %d characters)", len([]rune(value)))
}
