package policy

import (
	"net"
	"net/url"
	"path"
	"strings"
)

// spelling is one way to write an address. What stands before the path is empty when that is not known; the query is empty
// or begins with its question mark.
type spelling struct{ origin, path, query string }

// address tests an address, or a path of a tool, however it is written. For what is to be certain it counts as it stands;
// otherwise in every way in which a tool may read it.
func (t Test) address(s string, of Subject, certain bool) match {
	all, ok := spellings(s, of.To, certain)
	if !ok {
		return mayPass
	}
	least, most := passes, fails
	for _, one := range all {
		m := t.each(func(how, text string) match { return one.compare(how, text, certain) })
		least, most = min(least, m), max(most, m)
	}
	if certain {
		return least
	}
	return most
}

// compare takes a text that begins with a slash for one about paths.
func (s spelling) compare(how, text string, certain bool) match {
	want := plainAddress(text, certain)
	switch {
	case how != bySuffix && strings.HasPrefix(text, "/"):
		s.origin = ""
	case how != bySuffix && s.origin == "":
		return mayPass
	}
	if certain {
		return matchOf(s.surely(how, want))
	}
	return compared(s.origin+s.path+s.query)(how, want.origin+want.path+want.query)
}

// surely compares part by part: the host that a text names is a whole one, a star stands for nothing that reaches into the
// next part, and what is asked for behind a path makes up for nothing that the path lacks. A pattern or an end that names no
// host is about the path, and begins like one: else it could be meant for a host, and be found in the path of another.
func (s spelling) surely(how string, want spelling) bool {
	switch {
	case want.origin == "" && (how == byGlob || how == bySuffix):
		if !ofPaths(how, want.path) {
			return false
		}
		s.origin = ""
	case want.origin == "":
	case how == bySuffix, strings.HasPrefix(want.origin, "//"):
		return false
	case how == byPrefix && want.path+want.query == "":
		return s.origin == want.origin || strings.HasSuffix(want.origin, "//") && strings.HasPrefix(s.origin, want.origin)
	case how == byGlob:
		if want.path+want.query == "" && strings.HasSuffix(want.origin, "*") {
			want.path = "*"
		}
		if !alike(how, s.origin, want.origin) {
			return false
		}
		s.origin, want.origin = "", ""
	}
	have, text := s.origin+s.path, want.origin+want.path
	switch {
	case want.query == "":
		return alike(how, have, text) && alike(how, have+s.query, text)
	case how == byPrefix:
		return have == text && alike(how, s.query, want.query)
	case how == bySuffix:
		return alike(how, have, text) && s.query == want.query
	}
	return alike(how, have, text) && alike(how, s.query, want.query)
}

// ofPaths says whether a text that names no host begins as a path does.
func ofPaths(how, text string) bool {
	return strings.HasPrefix(text, "/") || how == byGlob && (text == "*" || strings.HasPrefix(text, "*/"))
}

// alike compares a part of an address; a pattern of nothing fits nothing else.
func alike(how, have, text string) bool {
	if text == "" && how == byGlob {
		return have == ""
	}
	return compared(have)(how, text) == passes
}

// plainAddress is the text of a test in the spelling that addresses are compared in, as far as it is an address.
func plainAddress(text string, certain bool) spelling {
	var s spelling
	if head, rest, ok := strings.Cut(text, "//"); ok && !strings.Contains(head, "/") {
		end := len(text) - len(rest)
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			end += i
		} else {
			end = len(text)
		}
		s.origin, text = plainOrigin(text[:end], certain), text[end:]
	}
	at, query, asked := strings.Cut(text, "?")
	s.path = plainPart(at)
	if asked {
		s.query = plainQuery(query, certain)
	}
	return s
}

// plainPart is a part of an address without what stands for other letters.
func plainPart(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		s = plain
	}
	return fold(s)
}

// plainQuery is a query in the spelling that it is compared in: where that is to be certain, %26 is not &.
func plainQuery(s string, certain bool) string {
	if certain {
		return "?" + fold(s)
	}
	return "?" + plainPart(s)
}

// plainOrigin is what stands before a path, without the port that is the usual one. Any of it may be a pattern.
func plainOrigin(s string, certain bool) string {
	if t, err := readURL(s); err == nil {
		return t.origin(!certain)
	}
	scheme, host, _ := strings.Cut(strings.ToLower(s), "//")
	port := ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host, port = host[:i], host[i:]
	}
	either := strings.Contains(scheme, "*") && !certain
	if port == ":443" && (either || scheme == "https:") || port == ":80" && (either || scheme == "http:") {
		port = ""
	}
	plain := loosely.ToUnicode
	if certain {
		plain = loosely.ToASCII
	}
	host, _ = plain(host) // what it cannot read stays as it is
	return scheme + "//" + host + port
}

// origin is what stands before the path, without the port that is the usual one, with the letters of the host as they are
// sent or in their own script.
func (t target) origin(own bool) string {
	host := t.host
	if own {
		host, _ = loosely.ToUnicode(host) // what it cannot read stays as it is
	}
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
	behind, ok := behindHost(t, s, certain)
	for _, b := range behind {
		if len(bases) == 0 {
			all = append(all, b)
		}
		for _, base := range bases {
			at, err := readURL(base)
			ok = ok && err == nil
			b.origin = at.origin(false)
			all = append(all, b)
			if own := at.origin(true); !certain && own != b.origin {
				b.origin = own
				all = append(all, b)
			}
		}
	}
	return all, ok
}

// behindHost are the ways to write what stands behind the host: as it stands or, unless that is to be certain, as tools may
// read it.
func behindHost(t target, s string, certain bool) (all []spelling, ok bool) {
	plain, err := url.PathUnescape(t.path)
	if err != nil {
		return nil, false
	}
	whole := spelling{path: fold(plain)}
	_, query, asked := strings.Cut(s, "?")
	if asked {
		whole.query = plainQuery(query, true)
	}
	if certain {
		return []spelling{whole}, true
	}
	paths := []string{plain, strings.TrimSuffix(path.Clean("/"+plain), "/")}
	if _, ok := plainPath(t.path); ok {
		parts, _ := routed(t.path, t.query, wide)
		paths = append(paths, "/"+strings.Join(parts, "/"))
	}
	all = append(all, whole)
	if asked {
		all = append(all, spelling{path: whole.path, query: plainQuery(query, false)})
	}
	for i, p := range paths {
		all = append(all, spelling{path: fold(p)})
		if i > 0 {
			all = append(all, spelling{path: fold(p) + "/"})
		}
	}
	return all, true
}
