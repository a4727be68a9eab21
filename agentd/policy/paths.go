package policy

import (
	"path"
	"strings"
	"unicode/utf8"
)

const (
	maxPath  = 4096
	maxDepth = 128
)

// Rel names p beneath the data root: relative paths stand under it, absolute ones must lie in it. The answer is clean
// ("." for the root itself); why says what is wrong with p when ok is false. It looks at nothing but the text:
// links are the business of whoever opens the file.
func Rel(p string, env Env) (rel, why string, ok bool) {
	if why := badName(p); why != "" {
		return "", why, false
	}
	root := env.root()
	if !path.IsAbs(p) {
		p = path.Join(root, p)
	}
	p = path.Clean(p)
	if p == root {
		return ".", "", true
	}
	rel, in := strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/")
	switch {
	case !in:
		return "", "It lies outside the data folder.", false
	case strings.Count(rel, "/") >= maxDepth:
		return "", "It lies too deep.", false
	}
	return rel, "", true
}

// badName says what no path may hold.
func badName(p string) string {
	switch {
	case p == "":
		return "The path is empty."
	case len(p) > maxPath:
		return "The path is too long."
	case !utf8.ValidString(p):
		return "The path is not valid UTF-8."
	case strings.ContainsFunc(p, hidden):
		return "The path holds characters that cannot be seen."
	}
	return ""
}

// GlobRoot is the part of a pattern before its first wildcard, and whether there is any.
func GlobRoot(p string) (string, bool) {
	i := strings.IndexAny(p, "*?[")
	if i < 0 {
		return p, false
	}
	return p[:strings.LastIndexByte(p[:i], '/')+1], true
}
