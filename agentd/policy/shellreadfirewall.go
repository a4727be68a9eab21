package policy

import "gatehouse/agentd/lazyre"

// readsFirewall list rules.
var readsFirewall = map[string][]readForm{
	"ufw": {{"status", grammar{tier: Green, words: map[string]Tier{"verbose": Green, "numbered": Green}}}, {"version|--version|show added|show listening|app list", nothing}, {"app info", grammar{tier: Green, words: map[string]Tier{}, names: true, max: 1}}},
	"nft": {{"list|-a list|-n list|-j list", grammar{tier: Green, words: map[string]Tier{
		"ruleset": Green, "tables": Green, "chains": Green, "table": Green, "chain": Green, "sets": Green, "inet": Green, "ip": Green, "ip6": Green,
		"filter": Green, "nat": Green, "input": Green, "forward": Green, "output": Green,
	}}}},
	"iptables":       {{"-L|-S|--list|--list-rules", iptablesLists}, {"-n|-t|-v|-nvL|-nL|-vnL|-Ln|-Lnv|-Lvn", iptablesLists}},
	"ip6tables":      {{"-L|-S|--list|--list-rules", iptablesLists}, {"-n|-t|-v|-nvL|-nL|-vnL|-Ln|-Lnv|-Lvn", iptablesLists}},
	"iptables-save":  {{"", iptablesSaves}},
	"ip6tables-save": {{"", iptablesSaves}},
	"ipset":          {{"list|-L", named("tn", "terse name")}},
	"firewall-cmd":   {{"--list-all|--state|--get-active-zones|--get-default-zone|--list-services|--list-ports|--list-all-zones|--get-zones", flagsOnly("", "zone= permanent")}},
}

var (
	iptablesLists = grammar{tier: Green, short: "nvxt:LS", long: "numeric verbose line-numbers exact list list-rules table=", shape: lazyre.MustCompile(`^(INPUT|OUTPUT|FORWARD|PREROUTING|POSTROUTING|DOCKER[A-Z-]*|nat|filter|mangle|raw|[0-9]+)$`)}
	iptablesSaves = grammar{tier: Green, short: "ct:", long: "counters table=", shape: lazyre.MustCompile(`^(?:nat|filter|mangle|raw|security)$`)}
)
