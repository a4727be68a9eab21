package vault

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"gatehouse/agentd/vault/secret"
)

// pair is one line of a file of credentials.
type pair struct {
	name  string
	value secret.Value
}

var envName = regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$`)

// parseEnv reads a file of credentials strictly: NAME=value or tool.key=value, a line each; empty lines and lines that
// begin with # are skipped. A value is bare (no spaces, quotes, $ or \), or in single quotes as it is, or in double
// quotes with \\ \" \$ \n. One bad line refuses the whole; errors name lines, never what stands in them.
func parseEnv(raw []byte) ([]pair, error) {
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("%w: the file is not UTF-8", ErrInvalid)
	}
	var all []pair
	seen := map[string]int{}
	for i, line := range bytes.Split(raw, []byte("\n")) {
		text := strings.TrimSuffix(string(line), "\r")
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		p, why := parseLine(text)
		if why == "" && seen[p.name] > 0 {
			why = fmt.Sprintf("the name stands in line %d too", seen[p.name])
		}
		if why != "" {
			return nil, fmt.Errorf("%w: line %d: %s", ErrInvalid, i+1, why)
		}
		seen[p.name] = i + 1
		all = append(all, p)
	}
	return all, nil
}

func parseLine(text string) (p pair, why string) {
	name, raw, ok := strings.Cut(text, "=")
	switch {
	case !ok:
		return p, "it has no ="
	case envName.MatchString(name):
		tool, key, _ := strings.Cut(strings.ToLower(name), "_")
		p.name = tool + "." + key
	case nameForm.MatchString(name):
		p.name = name
	default:
		return p, "its name is neither TOOL_KEY nor tool.key"
	}
	if CheckName(p.name) != nil {
		return p, "its name is too long"
	}
	value, why := unquote(raw)
	if why == "" && checkValue(value) != nil {
		why = "its value is empty, too long or not text"
	}
	p.value = secret.New(value)
	return p, why
}

func unquote(raw string) (value, why string) {
	switch {
	case strings.HasPrefix(raw, "'"):
		inner, ok := strings.CutSuffix(raw[1:], "'")
		if !ok || strings.Contains(inner, "'") {
			return "", "its single quotes do not match"
		}
		return inner, ""
	case strings.HasPrefix(raw, `"`):
		return unescape(raw[1:])
	case strings.ContainsAny(raw, " \t'\"`$\\"):
		return "", "a value with spaces, quotes, $ or \\ stands in quotes"
	}
	return raw, ""
}

// unescape reads up to the closing double quote, which ends the line.
func unescape(raw string) (value, why string) {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"' && i == len(raw)-1:
			return b.String(), ""
		case c == '"' || c == '$' || c == '`':
			return "", "in double quotes, \" $ and ` stand behind a \\"
		case c != '\\':
			b.WriteByte(c)
		case i+1 < len(raw) && strings.IndexByte("\\\"$`n", raw[i+1]) >= 0:
			i++
			b.WriteString(strings.ReplaceAll(string(raw[i]), "n", "\n"))
		default:
			return "", "behind a \\ stands one of \\ \" $ ` n"
		}
	}
	return "", "its double quotes do not match"
}
