package policy

import (
	"net"
	"net/url"
	"path"
	"strings"
)

// onePath are the tools that touch the one file or folder that they name, whatever its name holds. Every other may take it
// for a pattern, and reach what lies below it.
var onePath = words("file_read file_list file_write file_edit file_restore env_read env_update")

// path tests a path. One that may lead outside cannot be compared.
func (t Test) path(s string, of Subject) match {
	rel, ok := relative(s, of.Root)
	switch {
	case !ok:
		return mayPass
	case onePath[of.Tool]:
		return t.each(comparedBy(rel, asItIs))
	}
	return t.each(reaching(rel))
}

// reaching compares a path of which more may be touched than it names: a pattern, or a folder with all in it.
func reaching(p string) comparison {
	plainly := comparedBy(p, asItIs)
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

// spelling is one way to write an address: from its scheme on, empty when that is not known, and from its path on.
type spelling struct{ full, path string }

// address tests an address, or a path of a tool, however it is written. For what is to be certain it counts as it stands;
// otherwise in every way in which a tool may read it.
func (t Test) address(s string, of Subject, certain bool) match {
	all, ok := spellings(s, of.To, certain)
	if !ok {
		return mayPass
	}
	least, most := passes, fails
	for _, one := range all {
		m := t.each(one.compare)
		least, most = min(least, m), max(most, m)
	}
	if certain {
		return least
	}
	return most
}

// compare takes a text that begins with a slash for one about paths.
func (s spelling) compare(how, text string) match {
	have := s.full
	if how == bySuffix && have == "" || how != bySuffix && strings.HasPrefix(text, "/") {
		have = s.path
	}
	if have == "" {
		return mayPass
	}
	return comparedBy(have, fold)(how, plainAddress(text))
}

// plainAddress is the text of a test in the spelling that addresses are compared in, as far as it is an address.
func plainAddress(text string) string {
	origin, rest := "", text
	if t, err := readURL(text); err == nil {
		origin, rest = t.origin(), text[hostEnd(text):]
	} else if !strings.HasPrefix(text, "/") {
		return text
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	return origin + rest
}

// origin is what stands before the path, without the port that is the usual one.
func (t target) origin() string {
	host := t.host
	if t.port != map[string]string{"http": "80", "https": "443"}[t.scheme] {
		host = net.JoinHostPort(host, t.port)
	}
	return t.scheme + "://" + host
}

// spellings are the ways to write an address; ok is false when it cannot be read.
func spellings(s string, to *Destination, certain bool) (all []spelling, ok bool) {
	s, _, _ = strings.Cut(s, "#")
	bases := []string{s}
	if strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") {
		bases = nil
		if to != nil {
			bases = to.Bases
		}
		s = "http://tool.example" + s
	}
	t, err := readURL(s)
	if err != nil {
		return nil, false
	}
	paths, ok := pathsOf(t, s, certain)
	for _, p := range paths {
		if len(bases) == 0 {
			all = append(all, spelling{path: p})
		}
		for _, base := range bases {
			b, err := readURL(base)
			all, ok = append(all, spelling{b.origin() + p, p}), ok && err == nil
		}
	}
	return all, ok
}

// pathsOf are the ways to write the path of an address: as it stands or, unless that is to be certain, as tools may read it.
func pathsOf(t target, s string, certain bool) (all []string, ok bool) {
	plain, err := url.PathUnescape(t.path)
	if err != nil {
		return nil, false
	}
	whole := plain
	if _, query, asked := strings.Cut(s, "?"); asked {
		whole += "?" + query
	}
	if certain {
		return []string{whole}, true
	}
	bare := strings.TrimSuffix(path.Clean("/"+plain), "/")
	all = []string{whole, plain, bare, bare + "/"}
	if parts, ok := plainPath(t.path); ok {
		parts, _ = routed(parts, t.query)
		p := "/" + strings.Join(parts, "/")
		all = append(all, p, p+"/")
	}
	return all, true
}
