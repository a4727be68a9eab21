package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// readsNetwork tell of interfaces, addresses and routes. None names another machine.
var readsNetwork = map[string][]readForm{
	"ping":     {{"", grammar{tier: Green, short: "c:i:W:w:qn46", shape: lazyre.MustCompile(`^(?:localhost|127\.0\.0\.1|::1|[0-9]{1,2})$`)}}},
	"ifconfig": {{"", grammar{tier: Green, short: "a", shape: interfaceName, max: 1}}},
	"route":    {{"-n", nothing}, {"", nothing}}, "arp": {{"-a|-n|-an|-e", nothing}},
	"networkctl": {{"", nothing}, {"status|list|lldp|label", named("a", "all no-pager no-legend")}},
	"ip":         ipReads,
	"nmcli":      nmcliReads,
	"resolvectl": {{"", nothing}, {"status|statistics|show-cache", named("", "no-pager")}, {"dns|domain|llmnr|mdns|dnssec|dnsovertls|default-route|nta", grammar{tier: Green, words: map[string]Tier{}, names: true, max: 1}}},
	"ethtool":    {{"", oneInterface}, {"-S|-i|-k|-a|-c|-g|-l|-P|-T|-x|-m|--statistics|--driver|--show-features|--show-ring|--show-channels|--show-coalesce|--show-pause", oneInterface}},
	"bridge":     {{"link|link show|fdb show|vlan|vlan show|mdb show|-s link show|-d link show", interfaceWords}},
	"tc":         {{"qdisc|qdisc show|qdisc ls|class show|filter show|-s qdisc|-s qdisc show|-s qdisc ls|-s class show|-s filter show", interfaceWords}},
	"conntrack":  {{"-L|-S|-C|--dump|--count|--stats", named("p:s:d:f:o:", "proto= src= dst= state= output=")}},
	"wg":         {{"", nothing}, {"show", grammar{tier: Green, shape: lazyre.MustCompile(`^(?:wg[0-9]+|all|interfaces)$`), max: 1}}}, // a second word asks for keys
}

var (
	interfaceName  = lazyre.MustCompile(`^[a-z]+[0-9a-z.@-]*[0-9]$|^lo$`)
	oneInterface   = grammar{tier: Green, shape: interfaceName, max: 1}
	interfaceWords = grammar{tier: Green, shape: lazyre.MustCompile(`^(?:dev|root|ingress|parent|[0-9a-f]*:[0-9a-f]*|[a-z]+[0-9a-z.@-]*[0-9]|lo)$`)}
)

// ipReads ask ip for a list: behind that word all others only choose from it.
var ipReads = []readForm{
	{
		"a show|addr show|address show|a list|addr list|address list|a ls|addr ls|address ls|l show|link show|l list|link list|l ls|link ls|" +
			"r show|ro show|route show|r list|route list|r ls|route ls|n show|neigh show|neighbor show|neighbour show|n list|neigh list|rule show|rule list|ru show|maddr show|tunnel show|vrf show|nexthop show|addrlabel list",
		grammar{tier: Green, shape: lazyre.MustCompile(`^(?:[a-z][a-z0-9_]*(?:[.@-][a-z0-9_.@-]+)?|[0-9]+|[0-9a-fA-F:.]+(?:/[0-9]+)?)$`)},
	},
	// cut short as they are typed most; "l s" would set
	{"a s|r s|ro s|route s|n s", grammar{tier: Green, shape: interfaceName, max: 1}},
	{"r g|ro g|route g|r get|ro get", grammar{tier: Green, shape: lazyre.MustCompile(`^[0-9a-fA-F:.]*[:.][0-9a-fA-F:.]*$`), max: 1}},
	{"netns identify *|netns pids *", nothing},
	{"netns|netns list|netns list-id|maddr|tunnel|vrf|nexthop|rule|ru", nothing},
}

// ipFlags are the flags of ip that say how and of what kind it lists.
const ipFlags = "-4 -6 -0 -s -stats -statistics -d -details -o -oneline -j -json -p -pretty -br -brief -c -color -c=always -c=never -h -human -r -t -timestamp -a -all --brief --json --color=never"

// nmcliReads show; a second word behind "hostname" or "wifi" would set.
var nmcliReads = []readForm{
	{"", nothing},
	{"general|general status|g|g status|networking|networking connectivity|radio|radio all|radio wifi|general permissions", nothing},
	{"connection|con|c|device|dev|d|device status|dev status|d status", nothing},
	{"connection show|con show|c show", named("f:", "active order=")},
	{"device show|dev show|d show", named("f:", "")},
}

// nmcliFlags are those that say how it prints. The one that prints secrets is none of them.
const nmcliFlags = "-t --terse -p --pretty -m= --mode= -f= --fields= -g= --get-values= -e= --escape= -c= --colors= -w= --wait= -o --overview"

// behindFlags skips the flags in a list. ok is false when a word of them is not written out.
func behindFlags(list string, args []arg) (rest []arg, ok bool) {
	for len(args) > 0 && args[0].fixed {
		takes, known := flagIn(list, args[0].text)
		if !known {
			return args, true
		}
		if args = args[1:]; takes {
			if len(args) == 0 || !args[0].fixed || args[0].glob {
				return nil, false
			}
			args = args[1:]
		}
	}
	return args, len(args) == 0 || args[0].fixed
}

func (j *judge) nmcli(args []arg) {
	if rest, ok := behindFlags(nmcliFlags, args); ok && j.looks("nmcli", rest) {
		return
	}
	j.unknown("nmcli", args)
}

// interfaceOrAddress are words of ip that are names: what it does is said by words without digits and dots, cut short
// as one likes.
var interfaceOrAddress = lazyre.MustCompile(`^(?:[a-z]+[0-9][A-Za-z0-9@-]*|[0-9a-f:]*[.:][0-9a-f:.]*(?:/[0-9]+)?)$`)

// ipAfter are the words that may stand behind what ip is asked about.
var ipAfter = words("show list ls get dev default lo")

// ip reads its commands from a file with -batch, which may be cut short.
func (j *judge) ip(args []arg) {
	if rest, ok := behindFlags(ipFlags, args); ok && len(rest) > 0 && j.looks("ip", rest) {
		return
	}
	for i, a := range operandsOf(args) {
		if i > 0 && !ipAfter[a.text] && !interfaceOrAddress.MatchString(a.text) {
			j.raise(Red, "It may change the network: words of ip can be cut short.")
		}
	}
	j.grammar(table["ip"], slices.DeleteFunc(slices.Clone(args), func(a arg) bool { return a.fixed && interfaceOrAddress.MatchString(a.text) }))
	if anyWord(args, func(w string) bool { return w == "-b" || strings.HasPrefix(w, "-ba") }) {
		j.raise(Red, "It reads its commands from a file.")
	}
}

// socketFilter is what ss may choose by: states, ports and addresses that are numbers. A name would be looked up.
var socketFilter = lazyre.MustCompile(`^(?:[()!\s]|(?:and|or|not|state|exclude|connected|synchronized|bucket|big|all|established|syn-sent|syn-recv|fin-wait-1|fin-wait-2|time-wait|closed?|close-wait|last-ack|listening|listen|closing|autobound|` +
	`src|dst|sport|dport|dev|eq|ne|gt|lt|ge|le|=|==|!=|>=?|<=?|localhost|lo|eth[0-9]|:[0-9a-z-]+|\*|[0-9]+(?:\.[0-9]+){3}(?:/[0-9]+)?(?::[0-9a-z*-]+)?|\[[0-9a-fA-F:.]*\](?:/[0-9]+)?(?::[0-9a-z*-]+)?)(?:[()!\s=<>]|$))*$`)

// ss lists sockets. What follows the flags chooses among them.
func (j *judge) ss(args []arg) {
	g := table["ss"]
	g.shape = socketFilter
	j.grammar(g, args)
}
