package ingress

import (
	"html"
	"net/url"
	"strconv"
	"strings"

	"gatehouse/agentd/lazyre"
)

var escape = lazyre.MustCompile(`(?i)\\u\{?[0-9a-f]{4,6}\}?|\\x[0-9a-f]{2}|\\[0-3][0-7]{2}|U\+[0-9a-f]{4,5}`)

var softBreak = lazyre.MustCompile(`=[0-9A-F]{2}|=\r?\n`)

// escapes undoes the escapes of URLs, HTML, JSON and mail for the whole text.
func escapes(s string) (found []string) {
	if strings.Contains(s, "&#") {
		found = append(found, html.UnescapeString(s))
	}
	if strings.Count(s, "%") >= 3 {
		if u, err := url.QueryUnescape(s); err == nil {
			found = append(found, u)
		} else {
			found = append(found, percent.ReplaceAllStringFunc(s, unpercent))
		}
	}
	if (strings.Contains(s, `\`) || strings.Contains(s, "U+") || strings.Contains(s, "u+")) && escape.MatchString(s) {
		found = append(found, escape.ReplaceAllStringFunc(s, unescape))
	}
	if strings.Count(s, "=") >= 3 && len(softBreak.FindAllString(s, 3)) == 3 {
		found = append(found, softBreak.ReplaceAllStringFunc(s, unsoft))
	}
	return found
}

var percent = lazyre.MustCompile(`%[0-9A-Fa-f]{2}|\+`)

func unpercent(m string) string {
	if m == "+" {
		return " "
	}
	return number(m[1:], 16)
}

func unescape(m string) string {
	if m[0] == '\\' && m[1] >= '0' && m[1] <= '3' {
		return number(m[1:], 8)
	}
	return number(strings.Trim(m[2:], "{}"), 16)
}

func unsoft(m string) string {
	if m[1] == '\r' || m[1] == '\n' {
		return ""
	}
	return number(m[1:], 16)
}

// number is the rune of a code, or nothing.
func number(digits string, base int) string {
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil {
		return ""
	}
	return string(rune(n))
}
