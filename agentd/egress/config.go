package egress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// inHouse is from how many different machines inside the house on a text describes how it is built.
const inHouse = 3

// entered is how many are enough in a text that says how to get in.
const entered = 2

var machine = lazyre.MustCompile(`(?i)\b(?:10\.\d{1,3}\.\d{1,3}\.\d{1,3}|192\.168\.\d{1,3}\.\d{1,3}|172\.(?:1[6-9]|2\d|3[01])\.\d{1,3}\.\d{1,3}|(?:[a-z0-9-]+\.)+(?:internal|intranet|corp|lan|local|svc|home\.arpa))\b(?:/\d{1,2}\b)?`)

// configs finds lists of machines that are reached from inside only, as configurations hold them.
func configs(m *message, f *found) {
	seen := map[string]bool{}
	for _, mark := range []string{"10.", "192.168.", "172.", ".internal", ".intranet", ".corp", ".lan", ".local", ".svc"} {
		for at, n := 0, 0; len(seen) < inHouse && n < mostLinks; at, n = at+len(mark), n+1 {
			i := strings.Index(m.lower[at:], mark)
			if i < 0 {
				break
			}
			at += i
			part := whole(m.lower, span{at - 48, at + 24})
			for _, p := range machine.FindAllStringIndex(part, -1) {
				if part[p[0]] > '9' || networked.MatchString(m.lower[max(0, at-80):min(len(m.lower), at+80)]) && !numberedVersion.MatchString(part[:p[0]]) {
					seen[part[p[0]:p[1]]] = true
				}
			}
		}
	}
	for _, share := range shares.FindAllString(m.lower, inHouse) {
		seen[share] = true
	}
	if len(seen) >= inHouse || len(seen) >= entered && wayIn.MatchString(m.lower) {
		f.add(Config)
	}
}

// shares are folders of machines in the house, as its file servers name them.
var shares = lazyre.MustCompile(`\\\\[a-z0-9-]{2,40}\\[a-z0-9$_-]{2,40}`)

// wayIn are words for getting into a machine.
var wayIn = lazyre.MustCompile(`\bssh\b|\bas root\b|\broot@|\brdp\b|\badmin (?:panel|login|console)|\blog ?in with\b|\bidrac\b|\bipmi\b`)

// numberedVersion stands before what looks like an address of a network and is a version.
var numberedVersion = lazyre.MustCompile(`(?:version|release|build|firmware|driver|chapter|section)s?\W{0,3}(?:[\d.]+(?:, | and ))*v?$|\bv$`)

// networked are words of those who run machines.
var networked = lazyre.MustCompile(`\b(?:servers?|hosts?|hostname|ip|ips|subnet|port|dns|gateway|vlan|db|database|nodes?|cluster|ssh|router|firewall|upstream|listen|address|proxy|vpn|backup|nas|endpoint|redis|postgres|mysql|inventory)\b|[0-9]:\d{2,5}\b|/(?:8|16|2\d|3[0-2])\b|_(?:host|addr|ip|url)\b`)
