package policy

import (
	"net/url"
	"slices"
	"strings"
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
func routed(path []string, query url.Values) ([]string, bool) {
	if len(path) > 0 && path[0] == "index.php" {
		path = path[1:]
	}
	routes := query["rest_route"]
	if len(routes) == 0 {
		return path, true
	}
	inner, ok := plainPath(routes[0])
	return append([]string{"wp-json"}, inner...), ok && len(routes) == 1 && len(path) == 0
}

// plainPath is a path decoded once, without its closing slash, or false when readers could disagree on it.
func plainPath(escaped string) ([]string, bool) {
	if escaped == "" || escaped == "/" {
		return nil, true
	}
	p, err := url.PathUnescape(escaped)
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
}

func (r *request) where(t target) string {
	if t.host == "" {
		return r.kind
	}
	return t.host
}
