package policy

import (
	"path"
	"strings"
)

// onePath are the tools that touch the one file or folder that they name, whatever its name holds. Every other may take it
// for a pattern, and reach what lies below it.
var onePath = words("file_read attach file_list file_write file_edit file_restore env_read env_update")

// path tests a path. One that may lead outside cannot be compared.
func (t Test) path(s string, of Subject) match {
	rel, ok := relative(s, of.Root)
	switch {
	case !ok:
		return mayPass
	case onePath[of.Tool]:
		return t.each(compared(rel))
	}
	return t.each(reaching(rel))
}

// reaching compares a path of which more may be touched than it names: a pattern, or a folder with all in it.
func reaching(p string) comparison {
	plainly := compared(p)
	head, tail := p, ""
	if i := strings.IndexAny(p, wild); i >= 0 {
		head, tail = p[:i], p[strings.LastIndexAny(p, wild)+1:]
	}
	return func(how, text string) match {
		if plainly(how, text) == passes {
			return passes
		}
		may := false
		switch how {
		case byEquals:
			may = touches(p, text) && (strings.Count(p, "/") <= strings.Count(text, "/") || strings.Contains(p, "**"))
		case byUnder:
			may = touches(p, text)
		case bySuffix:
			may = head != p && strings.HasSuffix(text, tail)
		default: // what begins with a text
			text, _, _ = strings.Cut(text, "*")
			may = p == "." || strings.HasPrefix(text, p+"/") || head != p && (strings.HasPrefix(text, head) || strings.HasPrefix(head, text))
		}
		if may {
			return mayPass
		}
		return fails
	}
}

// wild is what makes a pattern of a path.
const wild = "*?[]\\"

// touches says whether a path, or what a pattern matches, may be a place, lie above it or in it.
func touches(p, place string) bool {
	if p == "." {
		return true
	}
	at, parts := strings.Split(p, "/"), strings.Split(place, "/")
	for i := range min(len(at), len(parts)) {
		if strings.Contains(at[i], "**") {
			return true
		}
		if ok, err := path.Match(at[i], parts[i]); err == nil && !ok && at[i] != parts[i] {
			return false
		}
	}
	return true
}
