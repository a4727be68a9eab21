package setting

import (
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// short holds a text to what stands beside something else on a page.
func short(t string) string {
	if utf8.RuneCountInString(t) > 200 {
		return "At most 200 characters."
	}
	return ""
}

func email(t string) string {
	if a, err := mail.ParseAddress(t); err != nil || a.Address != t {
		return "Type an address like help@example.com."
	}
	return ""
}

func sender(t string) string {
	if _, err := mail.ParseAddress(t); err != nil {
		return "Type a sender like Example Ltd <hello@example.com>."
	}
	return ""
}

// phoneShape is how people write a telephone number.
var phoneShape = regexp.MustCompile(`^\+?[0-9][0-9 ()/.-]{4,30}$`)

func phone(t string) string {
	if !phoneShape.MatchString(t) {
		return "Type a number like +43 1 234 56 78."
	}
	return ""
}

func hostPort(t string) string {
	host, port, err := net.SplitHostPort(t)
	if n, err2 := strconv.ParseUint(port, 10, 16); err != nil || err2 != nil || host == "" || n == 0 {
		return "Type an address like mail.example.com:587."
	}
	return ""
}

// domainShape is a name with at least one dot.
var domainShape = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

func domain(t string) string {
	if !domainShape.MatchString(t) {
		return "Type a name like letsencrypt.org."
	}
	return ""
}

// address is where a service is reached. A key travels to it signed, so that it may be in clear within one machine alone.
func address(t string) string {
	u, err := url.Parse(t)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !net.ParseIP(u.Hostname()).IsLoopback()) {
		return "Type an address like https://s3.example.com."
	}
	return ""
}

func api(t string) string {
	if address(t) != "" {
		return "Type an address like https://dns.example.com:8081. Without https it may be on this machine alone."
	}
	return ""
}

func resolver(t string) string {
	if hostPort(t) != "" {
		return "Type an address like 192.0.2.53:53."
	}
	return ""
}

func directory(t string) string {
	if u, err := url.Parse(t); err != nil || u.Host == "" || u.Scheme != "https" {
		return "Type an address like https://acme.example.com/directory."
	}
	return ""
}

var wordShape = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,62}$`)

func word(t string) string {
	if !wordShape.MatchString(t) {
		return "Small letters, digits, dots and hyphens only."
	}
	return ""
}

// placeShape is one entry of a list of places: region or region/plan, and a place.
var placeShape = regexp.MustCompile(`^(eu|na)(/[a-z]+)?=(local|pool|netcup|hetzner)$`)

func places(t string) string {
	for _, one := range strings.Split(t, ",") {
		if !placeShape.MatchString(strings.TrimSpace(one)) {
			return "Type a list like eu=pool, eu/scale=hetzner, na=hetzner. Places are local, pool, netcup and hetzner."
		}
	}
	return ""
}

// machineShape is one entry of a list of machines: region or region/plan, a type and a location.
var machineShape = regexp.MustCompile(`^(eu|na)(/[a-z]+)?=[a-z0-9]+@[a-z0-9-]+$`)

func machines(t string) string {
	for _, one := range strings.Split(t, ",") {
		if !machineShape.MatchString(strings.TrimSpace(one)) {
			return "Type a list like eu=cx23@nbg1, eu/scale=cx33@nbg1, na=cpx21@ash."
		}
	}
	return ""
}

// together says what does not fit among all values, in the words of the one that is changed; empty: nothing.
func together(k Key, v Values) string {
	switch {
	case (k == DegradedBeats || k == OfflineBeats) && v.number(DegradedBeats) >= v.number(OfflineBeats):
		return "A server counts as troubled before it counts as offline: the first number must be the smaller one."
	case v[ProviderDefault] == "hetzner" && touches(k) && (v[HetznerToken] == "" || v[HetznerMachines] == ""):
		return "Servers at Hetzner need a token and a list of machines. Set these two first."
	case usesHetzner(v) && touches(k) && (v[HetznerToken] == "" || v[HetznerMachines] == ""):
		return "The choice of places names Hetzner, which needs a token and a list of machines."
	case k == FilesIn && v[FilesIn] == "s3" && (v[FilesEndpoint] == "" || v[FilesBucket] == "" || v[FilesKey] == ""):
		return "A bucket needs an address, a name and a key. Set these first."
	case k == MailServer && v[MailServer] == "":
		return "Without a mail server no mail goes out. Type its address."
	case k == CompanyHours && v[CompanyHours] != "" && v[CompanyEmail] == "" && v[CompanyPhone] == "":
		return "It stands beside the address or the telephone number: set one of them first."
	}
	return ""
}

func usesHetzner(v Values) bool { return strings.Contains(v[ProviderChoice], "hetzner") }

// touches says whether a setting is about who rents machines at Hetzner.
func touches(k Key) bool {
	return k == ProviderDefault || k == ProviderChoice || k == HetznerToken || k == HetznerMachines
}
