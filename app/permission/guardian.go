package permission

import (
	"regexp"
	"strings"
)

// guardianLine is the line of permissions.yaml that switches the guardian.
var guardianLine = regexp.MustCompile(`(?m)^guardian:.*\n?`)

// WithGuardian is the text of permissions.yaml with the guardian switched: "on", "off", or "" for on when a model is
// configured. Everything else of the text, comments included, stays as it is.
func WithGuardian(text, mode string) string {
	line := ""
	if mode != "" {
		line = "guardian: \"" + mode + "\"\n" // quoted: YAML takes a bare on for true
	}
	if guardianLine.MatchString(text) {
		return guardianLine.ReplaceAllLiteralString(text, line)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + line
}
