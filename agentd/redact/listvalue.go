package redact

import "bytes"

// listNames end the names of lists of secrets.
var listNames = []string{"keys", "tokens", "secrets", "passwords", "passwds", "passwörter", "credentials", "codes"}

// listValues finds the texts of a list that is called by a name for secrets: apiKeys: ["…", "…"].
func listValues(text []byte, start, end int, add func(span)) {
	at := skipAny(text, end, 10, "\"' \t:=>")
	if at == end || at >= len(text) || text[at] != '[' || !listName(text[start:end]) {
		return
	}
	for range maxCodes {
		at = skipAny(text, at+1, 60, " \t\r\n,[")
		v, ok := readValue(text, at, value{})
		if !ok || !v.quoted {
			return
		}
		if literal(text[v.start:v.end], token) {
			add(span{v.start, v.end, -1, kindToken})
		}
		if at = v.end; at+1 >= len(text) || text[at+1] != ',' {
			return
		}
		at++
	}
}

func listName(name []byte) bool {
	low := bytes.ToLower(name)
	for _, n := range listNames {
		if bytes.HasSuffix(low, []byte(n)) {
			return true
		}
	}
	return false
}
