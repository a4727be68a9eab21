package web

import (
	"net/url"
	"path"
	"strings"
)

// LocalPath returns next when it is a path on this hub, with its query, else fallback. What browsers would read as
// another host (//host, /\host, tabs and line breaks inside) is not.
func LocalPath(next, fallback string) string {
	if !strings.HasPrefix(next, "/") || strings.ContainsFunc(next, odd) {
		return fallback
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return fallback
	}
	if strings.ContainsFunc(u.Path, odd) {
		return fallback // the same hidden behind percent signs
	}
	clean := &url.URL{Path: path.Clean(u.Path), RawQuery: u.RawQuery}
	if strings.HasPrefix(clean.Path, "//") {
		return fallback
	}
	return clean.String()
}

// odd says whether browsers drop or reinterpret r in an address.
func odd(r rune) bool { return r <= 0x20 || r == '\\' || r == 0x7f }
