package policy

import "strings"

// flag judges a word that begins with a dash.
func (j *judge) flag(g grammar, a arg) {
	if t, ok := g.raise[strings.SplitN(a.text, "=", 2)[0]]; ok {
		j.raise(t, "The flag "+visible(a.text)+" does more than reading.")
		return
	}
	for name, t := range g.raise {
		if given, _, _ := strings.Cut(a.text, "="); len(given) > 3 && strings.HasPrefix(name, given) {
			j.raise(t, "The flag "+visible(a.text)+" may be short for one that does more than reading.")
		}
	}
	if !a.fixed && (a.origin > plain || g.tier != Green) || !j.understood(g, a.text) {
		j.raise(Red, "The gate does not understand the flag "+visible(a.text)+" here.")
		j.loose(a)
	}
}

func (j *judge) understood(g grammar, f string) bool {
	if f == "--" || f == "--help" || f == "--version" || g.digits && number.MatchString(f) {
		return true
	}
	if name, ok := strings.CutPrefix(f, "--"); ok {
		return j.longFlag(g, name)
	}
	return j.letters(g, f[1:])
}

func (j *judge) longFlag(g grammar, f string) bool {
	name, value, has := strings.Cut(f, "=")
	for known := range strings.SplitSeq(g.long, " ") {
		bare, takes := strings.CutSuffix(known, "=")
		if bare == name && name != "" && (takes || !has) {
			j.value(g, value)
			return true
		}
	}
	return false
}

// letters judges -abc: each letter must be known, and raises as -a would.
func (j *judge) letters(g grammar, f string) bool {
	for i, r := range f {
		if t, ok := g.raise["-"+string(r)]; ok {
			j.raise(t, "The flag -"+string(r)+" does more than reading.")
		}
		at := strings.IndexRune(g.short, r)
		if at < 0 || r == ':' {
			if _, ok := g.raise["-"+string(r)]; ok {
				continue
			}
			return false
		}
		if at+1 < len(g.short) && g.short[at+1] == ':' {
			j.value(g, f[i+len(string(r)):])
			return true
		}
	}
	return true
}

// value judges what stands behind a flag in the same word: it may be the name of a file.
func (j *judge) value(g grammar, v string) {
	if g.git { // -L1,2:file
		j.path(arg{text: v[strings.LastIndexByte(v, ':')+1:], fixed: true}, false, nil)
		return
	}
	if v == "" || v == "\t" || g.slash && v == "/" || g.text || g.shape != nil {
		return
	}
	if strings.ContainsAny(v, "*?[") {
		j.pattern(v)
	}
	j.path(arg{text: v, fixed: true}, g.writes, g.outside)
}
