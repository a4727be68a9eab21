package policy

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// requested is where a request goes: to an address, or to a path of the tool it names.
func (e Env) requested(a HTTPArgs) (t target, kind string, to Destination, why string) {
	if strings.HasPrefix(a.URL, "/") && !strings.HasPrefix(a.URL, "//") && a.Tool != "" {
		return e.pathOf(a)
	}
	t, err := readURL(a.URL)
	if err != nil {
		return t, "", to, err.Error()
	}
	kind, to.Tools, why = e.destination(t, a.Tool)
	return t, kind, to, why
}

// pathOf is a path of a tool: the registry says where that is.
func (e Env) pathOf(a HTTPArgs) (t target, kind string, to Destination, why string) {
	kind = toolKey(a.Tool)
	_, ok := httpTools[kind]
	ok = ok && e.ByName
	for _, d := range e.Tools {
		if toolKey(d.Tool) == toolKey(a.Tool) {
			kind, ok, to.Bases = d.kind(), true, append(to.Bases, d.Bases...)
		}
	}
	if !ok {
		return t, "", to, "This destination is not registered."
	}
	for _, d := range e.Tools {
		if slices.ContainsFunc(d.Bases, func(base string) bool { return slices.Contains(to.Bases, base) }) {
			to.Tools = append(to.Tools, d.Tool)
		}
	}
	t, err := readURL("http://tool.example" + a.URL)
	if err != nil {
		return target{}, "", to, errURL.Error()
	}
	t.host = ""
	return t, kind, to, ""
}

// routed takes the paths that PHP programs take for the same: behind index.php, or in the query.
func routed(at string, query url.Values, letters func(string) string) ([]string, bool) {
	path, ok := pathBy(at, letters)
	if !ok {
		return nil, false
	}
	if len(path) > 0 && path[0] == "index.php" {
		path = path[1:]
	}
	routes := query["rest_route"]
	if len(routes) == 0 {
		return path, true
	}
	inner, ok := pathBy(routes[0], letters)
	return append([]string{"wp-json"}, inner...), ok && len(routes) == 1 && len(path) == 0
}

// wide are letters as routers read them that take the wide ones for the plain ones, and asWritten as the others do.
var (
	wide      = norm.NFKC.String
	asWritten = func(s string) string { return s }
)

// plainPath is a path decoded once, without its closing slash, or false when readers could disagree on it.
func plainPath(escaped string) ([]string, bool) { return pathBy(escaped, wide) }

func pathBy(escaped string, letters func(string) string) ([]string, bool) {
	if escaped == "" || escaped == "/" {
		return nil, true
	}
	written, err := url.PathUnescape(escaped)
	p := letters(written)
	if strings.Count(p, "/") != strings.Count(written, "/") {
		return nil, false
	}
	lower := strings.ToLower(escaped)
	for _, odd := range []string{"%2f", "%5c", "%2e", "%25", "%00", "%3b", "%3f", "%23"} {
		if strings.Contains(lower, odd) {
			return nil, false
		}
	}
	if err != nil || strings.ContainsAny(p, ";\\") || strings.Contains(p, "//") || strings.ContainsFunc(p, hidden) || !strings.HasPrefix(p, "/") {
		return nil, false
	}
	parts := strings.Split(strings.ToLower(strings.TrimSuffix(p[1:], "/")), "/")
	if slices.Contains(parts, ".") || slices.Contains(parts, "..") {
		return nil, false
	}
	last := len(parts) - 1
	parts[last] = strings.TrimSuffix(strings.TrimSuffix(parts[last], ".json"), ".xml")
	return parts, true
}

// request is a call of one tool, ready to be compared with its table.
type request struct {
	method string
	path   []string
	query  url.Values
	body   string
	kind   string
	acts   bool // by its words it does something, also when it is only asked for
}

// acts says whether a word of an address tells to do something: /items/5/delete, /item_delete.php, /deleteItem,
// /chat.delete, ?action=delete, ?delete=5.
func (t target) acts() bool {
	path, err := url.PathUnescape(t.path)
	if err != nil || slices.ContainsFunc(strings.Split(norm.NFKC.String(path), "/"), tells) {
		return true
	}
	for name, values := range t.query {
		name = strings.ToLower(lastName(name))
		if httpEffects[name] || httpAsks[name] && slices.ContainsFunc(values, tells) {
			return true
		}
	}
	return false
}

// tells says whether a name is a word of doing, or begins or ends with one: of few words, for in a title each may stand.
func tells(name string) bool {
	if httpEffects[strings.ToLower(name)] {
		return true
	}
	var b strings.Builder
	small := false
	for _, c := range name {
		if small && unicode.IsUpper(c) {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(c)
		b.WriteRune(unicode.ToLower(c))
	}
	all := strings.FieldsFunc(b.String(), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for len(all) > 0 && httpFormats[all[len(all)-1]] {
		all = all[:len(all)-1]
	}
	return len(all) > 0 && len(all) <= 3 && (httpDeeds[all[0]] || httpDeeds[all[len(all)-1]] || httpRemoves.MatchString(all[0]))
}

// at judges the request at a path, by the worse of the two readings of its letters; false when readers could disagree on
// more than those.
func (r *request) at(path string) (judged, bool) {
	narrow, ok1 := routed(path, r.query, asWritten)
	plain, ok2 := routed(path, r.query, wide)
	if !ok1 || !ok2 {
		return judged{}, false
	}
	r.path = plain
	j := r.judge()
	if slices.Equal(narrow, plain) {
		return j, true
	}
	r.path = narrow
	return j.and(r.judge()), true
}

func (r *request) where(t target) string {
	if t.host == "" {
		return r.kind
	}
	return t.host
}
