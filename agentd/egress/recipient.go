package egress

import (
	"net/url"
	"slices"
	"strings"

	"gatehouse/agentd/ingress"

	"golang.org/x/text/unicode/norm"
)

// freeMail are hosts where anyone gets an address: two addresses there have nothing to do with each other.
var freeMail = []string{"gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "yahoo.com", "icloud.com", "me.com", "aol.com", "gmx.de", "gmx.net", "gmx.at", "web.de", "t-online.de", "proton.me", "protonmail.com", "mail.com", "orange.fr", "wanadoo.fr", "free.fr", "laposte.net", "libero.it", "wp.pl", "onet.pl", "o2.pl", "interia.pl", "mail.ru", "yandex.ru", "qq.com", "163.com"}

// recipient compares who it goes to with who is known. Nobody keeps a list: there is nothing to compare.
func (f *found) recipient(o Outgoing) {
	if len(o.Known) == 0 {
		return
	}
	to := canonical(o.Recipient)
	if to == "" {
		f.add(New)
		return
	}
	known := make([]string, 0, len(o.Known))
	for _, k := range o.Known {
		known = append(known, canonical(k))
	}
	switch {
	case slices.ContainsFunc(known, func(k string) bool { return covers(k, to) }):
	case slices.ContainsFunc(known, func(k string) bool { return resembles(k, to) }):
		f.add(LookAlike)
	default:
		f.add(New)
	}
}

// canonical is the form in which recipients are compared: an address without its name, a link by its host.
func canonical(s string) string {
	s = strings.ToLower(strings.TrimSpace(norm.NFKC.String(s)))
	if i, j := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>'); i >= 0 && j == len(s)-1 {
		s = s[i+1 : j]
	}
	s = strings.TrimPrefix(s, "mailto:")
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		return strings.TrimSuffix(u.Hostname(), ".")
	}
	return strings.TrimSuffix(s, ".")
}

// covers says whether a known entry is the recipient, or everyone at its host.
func covers(known, to string) bool {
	return known == to || strings.HasPrefix(known, "@") && strings.HasSuffix(to, known) || !strings.Contains(known, "@") && known == host(to) && strings.Contains(known, ".")
}

func host(s string) string { return s[strings.LastIndexByte(s, '@')+1:] }

// resembles says whether to could be taken for known: the host is nearly the same or carries the known name, or the
// same person writes from a host of almost that name.
func resembles(known, to string) bool {
	a, b := host(known), host(to)
	if a == b {
		return known != to && !isFree(a) && strings.Contains(known, "@") && strings.Contains(to, "@") && samePerson(known[:len(known)-len(a)], to[:len(to)-len(b)])
	}
	if isFree(b) && isFree(a) {
		return near(a, b) && known[:len(known)-len(a)] == to[:len(to)-len(b)]
	}
	if isFree(b) && !isFree(a) {
		return len(registered(a)) >= 4 && strings.Contains(skeleton(to), skeleton(registered(a)))
	}
	return near(a, b) || skeleton(a) == skeleton(b) || borrowed(a, b)
}

func isFree(h string) bool { return slices.Contains(freeMail, h) }

// samePerson says whether two names before the @ are one with a letter changed; short names are often two people.
func samePerson(a, b string) bool { return len(a) >= 8 && distance(a, b) <= 2 }

// near says whether one or two changed letters tell two names apart, in names long enough for that to mean something.
func near(a, b string) bool {
	if len(registered(a)) < 5 || len(registered(b)) < 4 {
		return false
	}
	d := distance(a, b)
	return d == 1 || d == 2 && len(a) >= 9
}

// skeleton folds what eyes confuse.
func skeleton(h string) string {
	return strings.NewReplacer("rn", "m", "vv", "w", "cl", "d", "0", "o", "1", "l", "i", "l", "5", "s", "-", "").Replace(ingress.Fold(h))
}

// borrowed says whether b carries the name of a inside its own: acme-billing.test, acme.test.evil.test, acme.other.
func borrowed(a, b string) bool {
	name := registered(a)
	if len(name) < 4 {
		return false
	}
	for _, label := range strings.Split(b, ".") {
		if l := skeleton(label); l == skeleton(name) && label != b || len(name) >= 4 && strings.Contains(l, skeleton(name)) && l != "" {
			return !strings.HasSuffix(b, "."+a)
		}
	}
	return false
}

// registered is the label of a host that names its owner.
func registered(h string) string {
	labels := strings.Split(h, ".")
	if len(labels) < 2 {
		return ""
	}
	i := len(labels) - 2
	if i > 0 && len(labels[i]) <= 3 && len(labels[i+1]) == 2 { // co.uk and such
		i--
	}
	return labels[i]
}

// distance is the number of letters to change, add, drop or swap, as Damerau counts them.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+b2i(x[i-1] != y[j-1]))
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
