package policy

import "gatehouse/agentd/lazyre"

// readsServices tell of services and of what watches over them.
var readsServices = map[string][]readForm{
	"systemd-analyze": {
		{"", nothing},
		{"time|blame|critical-chain|security|dump|unit-paths|exit-status|syscall-filter", named("", "no-pager")},
		{"calendar|timespan|timestamp", grammar{tier: Green, long: "iterations=", shape: lazyre.MustCompile(`^[A-Za-z0-9*:.,/~ @+-]+$`)}},
	},
	"systemd-cgls": {{"", named("alku:", "no-pager all full unit=")}}, "systemd-cgtop": {{"-b|--batch|-b -n *|-bn *|-n * -b", named("n:d:ptcmi1", "raw iterations= delay= depth=")}},
	"systemd-delta": {{"", flagsOnly("t:", "type= no-pager diff=")}}, "systemd-escape": {{"", grammar{tier: Green, text: true}}},
	"coredumpctl": {{"list", named("qrS:U:", "no-pager no-legend quiet reverse since= until=")}},
	"localectl":   {{"", nothing}, {"status|list-locales|list-keymaps", flagsOnly("", "no-pager")}},
	"service":     {{"--status-all", nothing}}, "fail2ban-client": {{"status", named("", "")}},
	"supervisorctl": {{"status|pid|version|avail|tail", named("", "")}},
	"rabbitmqctl":   {{"status|cluster_status|list_queues|list_users|list_vhosts|list_exchanges|list_bindings|list_connections|list_channels|list_consumers|list_permissions|ping|version", named("p:q", "vhost= quiet no-table-headers")}},
	"chronyc":       {{"tracking|sources|sourcestats|activity|serverstats|rtcdata|-n tracking|-n sources|-n sourcestats", flagsOnly("van", "")}},
	"ntpq":          {{"-p|-pn|-np|-n -p|-p -n", nothing}},
	"lpstat":        {{"", named("adloprstvW:", "")}}, "lpq": {{"", named("alP:", "")}},
}

// readsServers are servers that check or print their settings, and tell of their queues.
var readsServers = map[string][]readForm{
	"php":        {{"-m|--ini", nothing}, {"-l", grammar{tier: Green}}},
	"node":       {{"--check|-c", grammar{tier: Green, max: 1}}},
	"shellcheck": {{"", grammar{tier: Green, short: "s:e:S:f:C", long: "shell= exclude= severity= format= color="}}},
	"nginx":      {{"-t|-T|-v|-V", grammar{tier: Green, short: "q", words: map[string]Tier{}}}, {"-s reload", grammar{tier: Yellow, words: map[string]Tier{}}}},
	"apache2ctl": apacheReads, "apachectl": apacheReads, "httpd": {{"-t|-v|-V|-S|-M|-l", nothing}}, "apache2": {{"-v|-V|-l", nothing}},
	"caddy": {{"list-modules", nothing}}, "haproxy": {{"-vv", nothing}}, "sshd": {{"-t|-T", nothing}},
	"postconf": {{"", postfixNames}, {"-n|-d|-h|-l|-m|-a|-A|-M|-F|-P|-nf|-nh|-hn|-df|-dh|-Mf", postfixNames}},
	"doveconf": {{"-n|-a|-N", grammar{tier: Green, shape: lazyre.MustCompile(`^[a-z_]+(?:/[a-z_]+)*$`)}}},
	"mailq":    {{"", nothing}}, "postqueue": {{"-p|-j", nothing}}, "exim": {{"-bp|-bpc|-bpu|-bV", nothing}}, "exim4": {{"-bp|-bpc|-bpu|-bV", nothing}},
	"named-checkconf": {{"", nothing}}, // a file may include others
}

var (
	apacheReads = []readForm{{"configtest|-t|-v|-V|-S|-M", nothing}}
	// postfixNames are names of settings: one with a value behind = would be set.
	postfixNames = grammar{tier: Green, short: "ndhfxH", shape: lazyre.MustCompile(`^[a-z0-9_]+$`)}
)
