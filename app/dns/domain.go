package dns

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// profile is how names are written on the wire: checked as a registry does, mapped as people type.
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckHyphens(true), idna.StrictDomainName(true),
	idna.VerifyDNSLength(true), idna.Transitional(false))

// What people are told of a domain that cannot be taken.
const (
	badDomain   = "This is no domain. Type it like bakery.example, without spaces."
	suffixOnly  = "Everybody's domains end like this. Type your own in front, like yourname.%s."
	unknownTop  = "No public domain ends like this. Check the spelling."
	wildcard    = "Type the domain without the star; the subdomains come along by themselves."
	addressOnly = "This is an address of a machine. Type a domain."
	ourZone     = "Names below this one are ours. Leave the field empty, and your server gets one of them."
	notOffered  = "This hub gives all names itself. Leave the field empty."
)

// Policy says which names an order may have.
type Policy struct {
	Zone string // names under ours: SLUG.Zone; empty: SLUG.localhost
	Own  bool   // customers may bring a domain of their own
}

// Parse reads a customer's own domain as it was typed; empty stays empty. problem says in words for people what is wrong with it.
func (p Policy) Parse(typed string) (domain, problem string) {
	s := bare(typed)
	if s == "" {
		return "", ""
	}
	if !p.Own {
		return "", notOffered
	}
	if _, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return "", addressOnly
	}
	if strings.Contains(s, "*") {
		return "", wildcard
	}
	ascii, err := profile.ToASCII(s)
	if err != nil || !strings.Contains(ascii, ".") || len(Probe+"."+ascii) > 253 {
		return "", badDomain
	}
	return p.public(ascii)
}

// bare takes away what people paste along with a domain.
func bare(typed string) string {
	s := strings.ToLower(strings.TrimSpace(typed))
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	return strings.TrimSuffix(strings.TrimSuffix(s, "/"), ".")
}

// public refuses what no customer can own.
func (p Policy) public(ascii string) (domain, problem string) {
	suffix, listed := publicsuffix.PublicSuffix(ascii)
	if suffix == ascii {
		return "", fmt.Sprintf(suffixOnly, Shown(suffix))
	}
	if !listed && !strings.Contains(suffix, ".") {
		return "", unknownTop
	}
	if p.Zone != "" && Below(ascii, p.Zone) {
		return "", ourZone
	}
	return ascii, ""
}

// Host is the name of an order's server: the customer's own domain, else one under ours.
func (p Policy) Host(domain, slug string) string {
	switch {
	case domain != "":
		return domain
	case p.Zone == "":
		return slug + ".localhost" // see Loopback
	}
	return slug + "." + p.Zone
}

// Loopback says whether a name leads to whoever asks for it, so that nobody outside can see what stands under it.
func Loopback(host string) bool { return strings.HasSuffix(host, ".localhost") }

// IsSuffix says whether everybody's names end with name, so that nobody's zone is as high.
func IsSuffix(name string) bool {
	suffix, _ := publicsuffix.PublicSuffix(name)
	return suffix == name
}

// Below says whether name is zone or stands below it.
func Below(name, zone string) bool { return name == zone || strings.HasSuffix(name, "."+zone) }

// Parent is the name one step up, empty at the top.
func Parent(name string) string {
	_, up, _ := strings.Cut(name, ".")
	return up
}

// Shown is how people read a name: with the letters of its language.
func Shown(name string) string {
	if u, err := idna.Display.ToUnicode(name); err == nil {
		return u
	}
	return name
}

// errZone says that a text is no name of a zone.
var errZone = errors.New("no name of a zone")

// Zone reads the name of a zone of our own, which need not be public.
func Zone(typed string) (string, error) {
	ascii, err := profile.ToASCII(bare(typed))
	if err != nil || !strings.Contains(ascii, ".") {
		return "", errZone
	}
	return ascii, nil
}
