package redact

import (
	"bytes"
	"strings"
)

// schemes of Authorization headers.
var schemes = []string{"bearer", "basic", "digest", "token", "apikey", "api-key", "api-token", "negotiate", "ntlm", "oauth", "hawk", "aws4-hmac-sha256", "sharedkey", "sharedaccesssignature", "key", "jwt", "ssws", "genie", "genieKey", "bot", "cpanel", "whm", "apisid", "splunk", "zoho-oauthtoken", "pve"}

// authorization finds what an Authorization header gives, behind its scheme.
func authorization(text []byte, i, n int, add func(span)) {
	if first, _ := nameAround(text, i, i+n); inName(text, first) {
		return
	}
	at := i + n
	at = skipAny(text, at, 6, "\"'`\\] ")
	if at >= len(text) || text[at] != ':' && text[at] != '=' && text[at] != ',' && !(among("\"'", text[at-1]) && hasScheme(text[at:])) {
		return
	}
	comma := text[at] == ','
	at = skipAny(text, at, 6, ":=>, \t\"'`\\([")
	if comma && strings.IndexByte("\"'`", text[at-1]) < 0 {
		return
	}
	for at < len(text) && text[at] == ' ' {
		at++
	}
	start, end := at, headerEnd(text, at)
	if end == start {
		return
	}
	value := text[start:end]
	for _, s := range schemes {
		if hasFold(value, s) && len(value) > len(s) && (value[len(s)] == ' ' || value[len(s)] == '=') {
			start = min(end, skipAny(text, start+len(s), 3, " ="))
			break
		}
	}
	if hasFold(value, "digest") || hasFold(value, "aws4") || hasFold(value, "oauth ") || hasFold(value, "hawk") {
		parameters(text, start, add)
		return
	}
	value = text[start:end]
	if len(value) > 0 && (among("{<([]*&", value[0]) || linkish(value)) {
		return
	}
	if k := bytes.IndexByte(value, ' '); k > 0 && letters(value[:k]) && (uuidAt(value[k+1:]) || machineMade(value[k+1:])) {
		start, value = start+k+1, value[k+1:] // a user stands before it
	}
	if k := bytes.IndexAny(value, " ,;"); k > 0 {
		value = value[:k]
	}
	if comma && !hasDigit(value) || identifier(value) && !hasDigit(value) && wordy(value) && !mixedCase(value) {
		return
	}
	if len(value) >= 6 && !placeholder(value) && !reference(value) && mixed(value) || len(value) >= 12 && solidToken(value) {
		add(span{start, start + len(value), -1, "authorization"})
	}
}

// hasScheme says whether b begins with a scheme and a space.
func hasScheme(b []byte) bool {
	return hasFold(b, "basic ") || hasFold(b, "bearer ") || hasFold(b, "token ")
}

// solidToken says whether b could be a token: no reference, no placeholder, no word.
func solidToken(b []byte) bool {
	return !placeholder(b) && !reference(b) && !wordy(b)
}

// headerEnd is where the value of a header ends that begins at i.
func headerEnd(text []byte, i int) int {
	for k := i; k < len(text) && k < i+maxForm; k++ {
		switch c := text[k]; {
		case c == '\n' || c == '\r' || c == '"' || c == '\'' || c == '`' || c == '<':
			return k
		case c == '\\' && k+1 < len(text) && bytes.IndexByte([]byte(`nrt"'`), text[k+1]) >= 0:
			return k
		}
	}
	return min(len(text), i+maxForm)
}

// parameters finds the secret ones in a list of name="value".
func parameters(text []byte, start int, add func(span)) {
	end := lineEnd(text, start)
	for _, name := range []string{"response=", "cnonce=", "signature=", "oauth_token=", "oauth_signature=", "mac="} {
		k := bytes.Index(bytes.ToLower(text[start:end]), []byte(name))
		if k < 0 {
			continue
		}
		lo := skipAny(text, start+k+len(name), 2, "\"\\")
		hi := lo
		for hi < end && bytes.IndexByte([]byte("\",\\ "), text[hi]) < 0 {
			hi++
		}
		if hi-lo >= 8 {
			add(span{lo, hi, -1, "authorization"})
		}
	}
}

// bearer finds a token behind the word Bearer wherever it stands.
func bearer(text []byte, i, n int, add func(span)) {
	start := skipAny(text, i+n, 3, " :=\"'\t")
	end := start
	for end < len(text) && end < start+maxForm && (class[text[end]]&clsBase64 != 0 || bytes.IndexByte([]byte(".=~"), text[end]) >= 0) {
		end++
	}
	for end > start && text[end-1] == '.' {
		end--
	}
	if v := text[start:end]; start > i+n && (len(v) >= 16 && randomish(v) || len(v) >= 8 && mixed(v) && hasDigit(v) && solidToken(v)) {
		add(span{start, end, -1, "authorization"})
	}
}

// cookies finds the values of a Cookie or Set-Cookie header that open a session.
func cookies(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 3, "\"'` ")
	if at >= len(text) || text[at] != ':' && text[at] != '=' && text[at] != ',' {
		return
	}
	comma := text[at] == ','
	if at = skipAny(text, at, 5, ":=, \t\"'`"); comma && !among("\"'`", text[at-1]) {
		return
	}
	cookiePairs(text, at, headerEnd(text, at), add)
}

// cookieFlag finds those that a command is told to send.
func cookieFlag(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 2, "= \"'")
	cookiePairs(text, at, min(headerEnd(text, at), wordStop(text, at, lineEnd(text, at))), add)
}

// cookiePairs finds the values between at and end that open a session.
func cookiePairs(text []byte, at, end int, add func(span)) {
	for at < end {
		stop := at
		for stop < end && text[stop] != ';' {
			stop++
		}
		if eq := bytes.IndexByte(text[at:stop], '='); eq > 0 {
			name := bytes.TrimSpace(text[at : at+eq])
			value := text[at+eq+1 : stop]
			if cookieSecret(name, value) {
				add(span{at + eq + 1, stop, -1, "cookie"})
			}
		}
		at = stop + 1
	}
}

var cookieAttributes = map[string]bool{"path": true, "domain": true, "expires": true, "max-age": true, "samesite": true, "priority": true, "version": true}

func cookieSecret(name, value []byte) bool {
	low := string(bytes.ToLower(name))
	if cookieAttributes[low] || len(value) < 6 || placeholder(value) {
		return false
	}
	for _, w := range []string{"sess", "sid", "auth", "token", "jwt", "remember", "login", "csrf", "xsrf", "secret", "identity", "ticket", "aspxauth", "credential"} {
		if bytes.Contains([]byte(low), []byte(w)) {
			return len(value) >= 8 && (hasDigit(value) || mixedCase(value)) && !dateLike(value)
		}
	}
	return len(value) >= 24 && randomish(value) && !uuidAt(value) && !bytes.HasPrefix(value, []byte("GA1.")) && !bytes.HasPrefix([]byte(low), []byte("_ga"))
}

// skipAny skips at most n bytes of set.
func skipAny(text []byte, i, n int, set string) int {
	for ; n > 0 && i < len(text) && among(set, text[i]); n-- {
		i++
	}
	return i
}

// among says whether c is one of set: a loop, as sets are shorter than a call is worth.
func among(set string, c byte) bool {
	for k := range len(set) {
		if set[k] == c {
			return true
		}
	}
	return false
}
