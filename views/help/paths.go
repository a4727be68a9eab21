package help

import "net/url"

// Where help is: for everyone, and within the portal.
const (
	Public = "/help"
	Portal = "/app/help"
)

// ArticlePath is one article below Public or Portal.
func ArticlePath(base, slug string) string { return base + "/" + url.PathEscape(slug) }
