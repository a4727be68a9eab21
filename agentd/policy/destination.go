package policy

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Registered is a business tool that the owner registered.
type Registered struct {
	Tool  string   // its id, as calls name it
	Kind  string   // the table of methods that holds for it; empty: Tool
	Bases []string // where it is reached: scheme, host and, if not the usual one, port
}

func (d Registered) kind() string {
	if d.Kind != "" {
		return toolKey(d.Kind)
	}
	return toolKey(d.Tool)
}

// target is a URL taken apart and made plain: one spelling, whoever reads it.
type target struct {
	scheme string
	host   string // lower case, ASCII
	port   string // never empty
	path   string // decoded once, as it is given
	query  url.Values
	bare   bool // nothing but a host and a short path: nothing is told to whoever answers
}

var errURL = errors.New("The address cannot be read in one way only.")

// readURL takes an absolute http or https URL apart. What two readers could read in two ways is refused.
func readURL(s string) (target, error) {
	if len(s) > 8192 || s == "" || strings.ContainsAny(s, "\\ \t\n\"<>^`{|}") || strings.ContainsFunc(s, hidden) {
		return target{}, errURL
	}
	u, err := url.Parse(s)
	if err != nil || u.Opaque != "" || u.Host == "" || u.User != nil || strings.Contains(s, "@") && strings.Index(s, "@") < hostEnd(s) {
		return target{}, errURL
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return target{}, errors.New("Only http and https are known.")
	}
	host, err := plainHost(u.Hostname())
	if err != nil {
		return target{}, err
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return target{}, errURL
	}
	t := target{scheme: scheme, host: host, port: u.Port(), path: u.EscapedPath(), query: query}
	if t.port == "" {
		t.port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	t.bare = u.RawQuery == "" && u.Fragment == "" && len(u.EscapedPath()) <= 48
	return t, nil
}

// hostEnd is where the host of a URL ends at the latest.
func hostEnd(s string) int {
	_, rest, _ := strings.Cut(s, "//")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return len(s) - len(rest) + i
	}
	return len(s)
}

// plainHost is a host name in ASCII and lower case. Full-width letters and odd dots become what resolvers make of them.
func plainHost(h string) (string, error) {
	if strings.ContainsAny(h, "%") {
		return "", errURL
	}
	if a, err := netip.ParseAddr(h); err == nil {
		return a.String(), nil
	}
	h, err := idna.Lookup.ToASCII(strings.TrimSuffix(h, "."))
	if err != nil || h == "" {
		h = strings.ToLower(strings.TrimSuffix(h, "."))
		if h == "" || strings.Trim(h, "abcdefghijklmnopqrstuvwxyz0123456789-._") != "" {
			return "", errURL
		}
	}
	return strings.ToLower(strings.TrimSuffix(h, ".")), nil
}

// localNames are names that lead to this machine, its neighbours or whatever their text says.
var localNames = strings.Fields(`localhost local internal intranet lan home corp home.arpa arpa onion nip.io sslip.io xip.io localtest.me lvh.me vcap.me
	traefik.me lacolhost.com yoogle.com 1u.ms rbndr.us`)

// private says why a host may not be reached unless it is registered: an address in any notation, a name of this
// machine or its neighbours.
func private(host string) string {
	if _, err := netip.ParseAddr(host); err == nil || numericHost(host) {
		return "Machines are reached by their names, not by addresses."
	}
	if !strings.Contains(host, ".") || slices.ContainsFunc(localNames, func(n string) bool { return host == n || strings.HasSuffix(host, "."+n) }) {
		return "It leads into the server's own network."
	}
	return ""
}

// numericHost says whether a host is an IPv4 address in any of the notations that resolvers take: parts that are
// decimal, octal or hexadecimal, and fewer than four of them.
func numericHost(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return true
	}
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")
}

// destination finds the kind of tool that a URL leads to and every name that is registered for it, or says why the call
// may not go there.
func (e Env) destination(t target, tool string) (kind string, names []string, why string) {
	found := false
	for _, d := range e.Tools {
		if !slices.ContainsFunc(d.Bases, t.at) {
			continue
		}
		names = append(names, d.Tool)
		if !found && (tool == "" || toolKey(d.Tool) == toolKey(tool)) {
			kind, found = d.kind(), true
		}
	}
	if found {
		return kind, names, ""
	}
	if why := private(t.host); why != "" && !(e.ByName && inside(t, tool)) {
		return "", nil, why
	}
	if e.ByName && (bearsName(t, tool) || inside(t, tool)) {
		return toolKey(tool), []string{tool}, ""
	}
	if tool == "" && slices.Contains(e.Hosts, t.host) {
		return "", names, ""
	}
	return "", nil, "This destination is not registered."
}

// named says whether the owner or the registry named the host.
func (e Env) named(t target) bool {
	if slices.Contains(e.Hosts, t.host) {
		return true
	}
	for _, d := range e.Tools {
		if slices.ContainsFunc(d.Bases, func(base string) bool { return t.at(base) }) {
			return true
		}
	}
	if e.ByName && private(t.host) == "" {
		for name := range httpTools {
			if bearsName(t, name) {
				return true
			}
		}
	}
	return false
}

// at says whether t lies at a base: same scheme, host and port.
func (t target) at(base string) bool {
	b, err := readURL(base)
	return err == nil && b.scheme == t.scheme && b.host == t.host && b.port == t.port
}

// bearsName says whether the first label of a host is a name of the tool, as installing it gives: ghost.example.com.
// It stands in for a registry where there is none, and only for judging, never for calling.
func bearsName(t target, tool string) bool {
	x, ok := httpTools[toolKey(tool)]
	label, domain, more := strings.Cut(t.host, ".")
	if !ok || !more || t.port != map[string]string{"http": "80", "https": "443"}[t.scheme] {
		return false
	}
	labels := strings.Split(domain, ".")
	for _, l := range labels[:len(labels)-1] {
		if slices.Contains([]string{"com", "org", "net", "io", "example", "test", "localhost", "dev", "app"}, l) && len(labels) > 2 {
			return false // ghost.example.com.somewhere.else
		}
	}
	return slices.Contains(x.names, label)
}

// inside says whether a host is the bare name under which containers of the server find the tool.
func inside(t target, tool string) bool {
	x, ok := httpTools[toolKey(tool)]
	return ok && t.host == x.names[0] && t.port == x.port
}

// toolKey is the name of a tool without what people write differently: "Cal.com", "cal_com" and "calcom" are one.
func toolKey(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}
