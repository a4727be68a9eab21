package policy

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// A readForm is one way to call a program that only looks, of a program that does more otherwise: its first words,
// and the grammar of all that follow. Because the words come first, no word behind them can turn a call that does
// more into this one.
type readForm struct {
	first string // words, apart by spaces; "a|b" is either
	rest  grammar
}

// named is the grammar of words that are names, of packages, containers or accounts, and never files.
func named(short, long string) grammar {
	return grammar{tier: Green, short: short, long: long, words: map[string]Tier{}, names: true}
}

// nothing is the grammar of no further word.
var nothing = grammar{tier: Green, words: map[string]Tier{}}

// versions are programs that tell their version and do nothing else when that is their only word.
var versions = words(`python python2 python3 perl ruby node nodejs deno bun php java javac go gcc cc make cmake rustc cargo git docker npm npx yarn pnpm pip pip3
	curl wget rsync ssh psql mysql mariadb sqlite3 redis-cli redis-server mongosh mongod nginx apache2 httpd openssl certbot kubectl helm ansible terraform
	gpg tmux screen vim nano less man ffmpeg convert caddy haproxy postgres pg_dump mysqldump restic borg fail2ban-client ufw iptables nft systemctl bash zsh lua tar composer`)

// readForms are the programs that have such calls. The rest of them is judged as before.
var readForms = map[string][]readForm{
	"crontab": {{"-l", nothing}}, "systemd-analyze": {{"", nothing}, {"time|blame", grammar{tier: Green, long: "no-pager", words: map[string]Tier{}}}, {"critical-chain", named("", "no-pager")}}, "atq": {{"", nothing}}, "at": {{"-l", nothing}}, "mailq": {{"", nothing}}, "postqueue": {{"-p|-j", nothing}},
	"php":        {{"-m|--ini", nothing}, {"-l", grammar{tier: Green}}},
	"ping":       {{"", grammar{tier: Green, short: "c:i:W:w:qn46", shape: lazyre.MustCompile(`^(?:localhost|127\.0\.0\.1|::1|[0-9]{1,2})$`)}}},
	"nginx":      {{"-t|-T|-v|-V", grammar{tier: Green, short: "q", words: map[string]Tier{}}}, {"-s reload", grammar{tier: Yellow, words: map[string]Tier{}}}},
	"apache2ctl": {{"configtest|-t|-v|-V|-S|-M", nothing}}, "apachectl": {{"configtest|-t|-v|-V|-S|-M", nothing}},
	"openssl": {
		{"x509", grammar{tier: Green, certs: true, raise: map[string]Tier{"-out": Red, "-signkey": Red, "-CA": Red, "-req": Red, "-key": Red}, word: opensslWords}},
		{"crl|req|pkcs7|verify|asn1parse", grammar{tier: Green, certs: true, raise: map[string]Tier{"-out": Red, "-key": Red, "-new": Red, "-newkey": Red, "-keyout": Red}, word: opensslWords}},
		{"version|list|ciphers", grammar{tier: Green, short: "avbodpfer", words: map[string]Tier{}}},
		{"rand -hex|rand -base64", grammar{tier: Green, text: true, digitsOnly: true}},
		{"dgst|sha256|md5", grammar{tier: Green, word: words("-sha1 -sha256 -sha384 -sha512 -md5 -r -hex -c")}},
	},
	"dpkg":       {{"-l|--list|-s|--status|-L|--listfiles|--get-selections|--print-architecture", named("", "no-pager")}, {"-S|--search", dpkgSearches}},
	"dpkg-query": {{"-l|-s|-L|-W|--list|--status", named("", "")}, {"-W|--show", dpkgFormats}, {"-S|--search", dpkgSearches}},
	"apt":        {{"list", named("a", "installed upgradable all-versions manual-installed")}, {"show|search|policy|depends|rdepends", named("", "names-only")}},
	"apt-cache":  {{"policy|show|search|depends|rdepends|madison|stats|pkgnames|showpkg", named("", "names-only installed")}}, "apt-mark": {{"showhold|showauto|showmanual|showinstall", named("", "")}},
	"snap": {{"list|info|version|services", named("", "all")}}, "flatpak": {{"list", named("", "app runtime")}}, "rpm": {{"-qa|-q|-qi|-ql|-qR|-qc", named("", "last")}},
	"pip": {{"list|freeze|show|check", named("luf", "format= user local exclude-editable not-required")}}, "pip3": {{"list|freeze|show|check", named("luf", "format= user local exclude-editable not-required")}},
	"npm": {{"ls|list|ll", named("gal", "depth= all long json parseable global prod production omit=")}}, "gem": {{"list", named("", "local")}},
	"sysctl": {{"", grammar{tier: Green, short: "anNeb", long: "all values names", shape: lazyre.MustCompile(`^[a-z0-9_]+([./][A-Za-z0-9_*-]+)*$`)}}},
	"swapon": {{"--show|-s|--summary", grammar{tier: Green, long: "show= bytes noheadings raw", words: map[string]Tier{}}}}, "lsmod": {{"", nothing}}, "modinfo": {{"", named("", "")}},
	"loginctl": {{"list-sessions|list-users|list-seats|session-status|user-status|show-session|show-user", named("p:l", "no-pager no-legend property= full")}, {"", grammar{tier: Green, long: "no-pager", words: map[string]Tier{}}}},
	"lastlog":  {{"", nothing}}, "lastb": {{"", grammar{tier: Green, short: "n:aF", digits: true, words: map[string]Tier{}}}}, "getconf": {{"", named("a", "")}},
	"ufw": {{"status", grammar{tier: Green, words: map[string]Tier{"verbose": Green, "numbered": Green}}}, {"version|--version|show added", nothing}}, "nft": {{"list", grammar{tier: Green, words: map[string]Tier{"ruleset": Green, "tables": Green, "chains": Green, "table": Green, "chain": Green, "sets": Green, "inet": Green, "ip": Green, "ip6": Green, "filter": Green, "nat": Green, "input": Green, "forward": Green, "output": Green}}}},
	"iptables": {{"-L|-S|--list|--list-rules", iptablesLists}, {"-n|-t|-v|-nvL|-nL|-vnL|-Ln|-Lnv|-Lvn", iptablesLists}}, "ip6tables": {{"-L|-S|--list|--list-rules", iptablesLists}, {"-nvL|-nL|-vnL|-Ln|-Lnv|-Lvn", iptablesLists}},
	"ifconfig": {{"", grammar{tier: Green, short: "a", shape: lazyre.MustCompile(`^[a-z]+[0-9a-z.@-]*[0-9]$|^lo$`), max: 1}}}, "route": {{"-n", nothing}, {"", nothing}}, "arp": {{"-a|-n|-an|-e", nothing}},
	"certbot": {{"certificates", named("d:", "cert-name= domain=")}}, "pg_isready": {{"", grammar{tier: Green, short: "qt:p:d:U:", words: map[string]Tier{}, names: true}}},
	"mysqladmin": {{"status|ping|version|processlist|extended-status|variables", nothing}}, "pg_lsclusters": {{"", grammar{tier: Green, short: "h", words: map[string]Tier{}}}},
	"kubectl": {{"get|describe", kubeReads("o:n:Al:Lw", "output= namespace= all-namespaces selector= show-labels watch no-headers sort-by= field-selector= wide")}, {"logs", kubeReads("c:n:fpl:", "tail= since= container= namespace= follow previous timestamps all-containers selector=")}, {"top", kubeReads("n:Al:", "containers namespace= all-namespaces sort-by=")}, {"version|cluster-info|api-resources|api-versions", named("o:", "client output= short")}, {"config current-context|config get-contexts", nothing}, {"rollout status|rollout history", kubeReads("n:", "namespace= timeout=")}},
	"helm":    {{"list|ls|status|history|version", named("n:Aao:", "namespace= all-namespaces all output= short")}}, "fail2ban-client": {{"status", named("", "")}},
	"gzip": {{"-l|-t|-lv|-tv|-dc|-cd|-c|--list|--test|--stdout", gzipReads}, {"-d -c|-c -d|-k -c|-9 -c|-d --stdout", gzipReads}}, "gunzip": {{"-c|-l|-t|--stdout|--list|--test", gzipReads}}, "bzip2": {{"-dc|-cd|-t|-c|-tv", gzipReads}}, "xz": {{"-dc|-cd|-t|-l|-c|-lv|--list|--test", gzipReads}},
	"zstd": {{"-dc|-l|-t|--list|--test", gzipReads}}, "unzip": {{"-l|-v|-t|-Z|-Z1|-lv|-tq|-p", grammar{tier: Green, short: "qv1C"}}},
	"service": {{"--status-all", nothing}}, "getent": {{"passwd|group|services|protocols|hosts localhost", named("", "")}}, "git": gitReads, "cargo": {{"tree", nothing}}, "restic": {{"version", nothing}},
	"zfs": {{"list", named("o:t:rH", "")}}, "zpool": {{"list|status", named("v", "")}}, "pvs": {{"", nothing}}, "vgs": {{"", nothing}}, "lvs": {{"", nothing}}, "blkid": {{"", nothing}},
	"smartctl": {{"--scan", nothing}, {"", smartReads}}, "7z": archiveLists, "7za": archiveLists, "7zr": archiveLists, "7zz": archiveLists,
	"xmllint": {{"--xpath", xmlReads(true)}, {"--noout|--format", xmlReads(false)}}, "pdfinfo": {{"", grammar{tier: Green, word: words("-isodates -rawdates -box -meta -v"), max: 1}}},
	"csvcut": {{"", csvReads}}, "csvlook": {{"", csvReads}}, "csvstat": {{"", csvReads}}, "csvsort": {{"", csvReads}},
	"sensors": {{"", nothing}}, "printenv": {{"LANG|PATH|HOME|TZ|TERM|USER|SHELL|LC_ALL|PWD", nothing}}, "command": {{"-v|-V", grammar{tier: Green, shape: programName}}}, "type": {{"", grammar{tier: Green, short: "atpP", shape: programName}}},
}

var (
	gzipReads     = grammar{tier: Green, short: "cdklqtvfn", long: "stdout decompress list test verbose quiet keep"}
	iptablesLists = grammar{tier: Green, short: "nvxt:LS", long: "numeric verbose line-numbers exact list list-rules table=", shape: lazyre.MustCompile(`^(INPUT|OUTPUT|FORWARD|PREROUTING|POSTROUTING|DOCKER[A-Z-]*|nat|filter|mangle|raw|[0-9]+)$`)}
	opensslWords  = words(`-in -noout -text -dates -subject -issuer -enddate -startdate -serial -fingerprint -sha256 -sha1 -pubkey -purpose -email -modulus -hash
		-subject_hash -issuer_hash -ext -inform -PEM -DER pem der -checkend -checkhost -nameopt -certopt subjectAltName -verify -print_certs -i -dump -nextupdate -lastupdate -CAfile -untrusted -crl_check -verbose`)
)

func kubeReads(short, long string) grammar {
	return grammar{tier: Green, short: short, long: long, shape: lazyre.MustCompile(`^[a-z0-9][A-Za-z0-9./,=_-]*$`), never: lazyre.MustCompile(`(?i)secret|\.data|go-template|jsonpath|custom-columns`)}
}

// looks says whether a call is one that only looks. It takes over what was learned when it is, and leaves j as it was
// when it is not.
func (j *judge) looks(prog string, args []arg) bool {
	if len(args) == 1 && args[0].fixed && versions[family(prog)] || len(args) == 1 && versions[prog] {
		if v := args[0].text; v == "--version" || v == "-V" && prog != "tmux" || v == "-v" && (prog == "node" || prog == "nodejs" || prog == "ruby" || prog == "perl" || prog == "php" || prog == "npm" || prog == "nginx") ||
			v == "-version" && strings.HasPrefix(prog, "java") || v == "version" && (prog == "go" || prog == "openssl" || prog == "docker") {
			return true
		}
	}
	if _, ok := table[prog]; ok && len(args) == 1 && args[0].fixed && (args[0].text == "--version" || args[0].text == "--help") {
		return true
	}
	for _, form := range readForms[prog] {
		rest, ok := form.after(args)
		if !ok {
			continue
		}
		try := *j
		try.tier, try.why = Green, ""
		try.grammar(form.rest, rest)
		if try.tier.Rank() > form.rest.tier.Rank() {
			j.raise(onlyForbidden(try.tier), try.why)
			continue
		}
		try.tier, try.why = j.tier, j.why
		*j = try
		j.raise(form.rest.tier, "It changes something.")
		return true
	}
	return false
}

// onlyForbidden keeps of a try that failed what holds whatever the program would do.
func onlyForbidden(t Tier) Tier {
	if t == Forbidden {
		return Forbidden
	}
	return Green
}

// after gives the words behind the first ones of the form.
func (f readForm) after(args []arg) ([]arg, bool) {
	for either := range strings.SplitSeq(f.first, "|") {
		want := strings.Fields(either)
		if len(args) < len(want) {
			continue
		}
		ok := true
		for i, w := range want {
			ok = ok && args[i].fixed && !args[i].glob && args[i].text == w
		}
		if ok {
			return args[len(want):], true
		}
	}
	return nil, false
}
