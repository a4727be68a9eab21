package ui

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"
)

// backupFile is the codes as a file that the browser saves by itself: they never leave it again.
func backupFile(codes []string) templ.SafeURL {
	return templ.SafeURL("data:text/plain;charset=utf-8," + url.PathEscape(strings.Join(codes, "\n")+"\n"))
}
