package egress

import "strings"

// table finds a head of personal columns with rows under it.
func (m *message) table() bool {
	lines := strings.Split(m.lower, "\n")
	for i, l := range lines {
		if i+rowsOfSensitive >= len(lines) {
			break
		}
		for _, sign := range []string{",", ";", "\t", "|", ":"} {
			n := strings.Count(l, sign)
			if n == 0 {
				continue
			}
			rows := like(lines[i+1:], sign, n)
			if rows < rowsOfSensitive {
				continue
			}
			contacts, sensitive := columns(strings.Split(l, sign))
			if contacts+sensitive >= 2 && (sensitive > 0 && rows >= rowsOfSensitive || rows >= rowsOfContacts || rows >= rowsOfContacts-1 && contacts >= 3) || contacts >= 1 && n >= 2 && rows >= rowsInBulk && !anyName(strings.Split(l, sign)) {
				return true
			}
		}
	}
	return false
}

// like counts the lines that follow with as many signs, up to a bulk; lines of a drawn table do not count.
func like(lines []string, sign string, n int) (rows int) {
	for _, l := range lines[:min(len(lines), 3*rowsInBulk)] {
		if strings.Trim(l, "-+=|: \t\r") == "" {
			continue
		}
		if c := strings.Count(l, sign); c < n || c > n+3 || rows > rowsInBulk {
			return rows
		}
		rows++
	}
	return rows
}

// objects finds JSON or YAML with several records of a person.
func (m *message) objects() bool {
	braces := strings.Contains(m.text, "{")
	contacts, sensitive, onlyContacts := 0, 0, 0
	for key, n := range m.keys() {
		if n < rowsOfSensitive {
			continue
		}
		secret := isSensitive(key)
		contact := !secret && isContact(key)
		switch {
		case n >= rowsInBulk && (contact || secret) && key != "name":
			return true
		case secret:
			sensitive++
		case contact && (braces || n >= rowsOfContacts-1):
			contacts++
			onlyContacts += b2i(n >= rowsOfContacts-1 && key != "name" && key != "user")
		}
	}
	return contacts >= 2 && (braces || sensitive > 0 || onlyContacts >= 2) || contacts >= 1 && sensitive >= 1
}

// longestKey is how long the name of a field may be.
const longestKey = 32

// keys counts the names of fields: words before a colon, at the begin of a line or of a field of JSON.
func (m *message) keys() map[string]int {
	times := map[string]int{}
	for at := 0; ; at++ {
		i := strings.IndexByte(m.lower[at:], ':')
		if i < 0 {
			return times
		}
		at += i
		if key := keyBefore(m.lower, at); key != "" {
			times[key]++
		}
	}
}

// keyBefore gives the name of a field that ends at a colon.
func keyBefore(s string, at int) string {
	from := max(0, at-longestKey)
	part := strings.TrimRight(s[from:at], " \t")
	part = strings.TrimRight(part, "\"'")
	i := strings.LastIndexAny(part, "\"'{,\n;([")
	if i < 0 && from > 0 {
		return ""
	}
	return strings.Trim(part[i+1:], " \t-*•·")
}
