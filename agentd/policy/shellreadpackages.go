package policy

import "gatehouse/agentd/lazyre"

// readsPackages tell what is installed, what could be, and what an installation would do.
var readsPackages = map[string][]readForm{
	"dpkg": {
		{"-l|--list|-s|--status|-L|--listfiles|--get-selections|--print-architecture|--print-foreign-architectures|--audit|-C|-V|--verify", named("", "no-pager")},
		{"-S|--search", dpkgSearches},
		{"-I|--info|-c|--contents", grammar{tier: Green}},
		{"--compare-versions", grammar{tier: Green, shape: lazyre.MustCompile(`^[A-Za-z0-9.+:~<>=-]+$`)}},
	},
	"dpkg-query": {{"-l|-s|-L|-W|--list|--status", named("", "")}, {"-W|--show|-Wf", dpkgFormats}, {"-S|--search", dpkgSearches}},
	"dpkg-deb":   {{"-I|--info|-c|--contents", grammar{tier: Green}}},
	"apt":        {{"list", named("a", "installed upgradable all-versions manual-installed")}, {"show|search|policy|depends|rdepends", named("", "names-only")}, {"upgrade -s|upgrade --dry-run|full-upgrade -s|-s upgrade|-s full-upgrade", nothing}},
	"apt-get":    {{"check", nothing}, {"-s|--simulate|--dry-run|--just-print|--no-act|--recon", aptSimulates}, {"upgrade -s|dist-upgrade -s|autoremove -s|install -s|remove -s|upgrade --dry-run|autoremove --dry-run", named("yqV", "")}},
	"apt-cache":  {{"policy|show|search|depends|rdepends|madison|stats|pkgnames|showpkg", named("", "names-only installed")}},
	"apt-mark":   {{"showhold|showauto|showmanual|showinstall", named("", "")}}, "apt-config": {{"dump", nothing}},
	"debsums": {{"", named("cals", "changed list-missing silent all config")}},
	"snap":    {{"list|info|version|services|changes|connections", named("", "all")}}, "flatpak": {{"list", named("", "app runtime")}}, "rpm": {{"-qa|-q|-qi|-ql|-qR|-qc", named("", "last")}},
	"pip": {{"list|freeze|check", pipLists}, {"show", named("fv", "files verbose")}}, "pip3": {{"list|freeze|check", pipLists}, {"show", named("fv", "files verbose")}},
	"npm":                 {{"ls|list|ll", named("gal", "depth= all long json parseable global prod production omit=")}, {"config list|config ls|config get|root|prefix", named("lg", "global json")}},
	"gem":                 {{"list", named("", "local")}},
	"update-alternatives": {{"--display|--list|--query", grammar{tier: Green, words: map[string]Tier{}, names: true, max: 1}}, {"--get-selections", nothing}},
}

var (
	pipLists = named("l", "format= user local exclude-editable not-required")
	// aptSimulates are the commands of apt-get that nothing comes of when it only pretends.
	aptSimulates = grammar{tier: Green, short: "yqV", long: "no-install-recommends with-new-pkgs purge auto-remove", names: true, verb: true, words: map[string]Tier{
		"upgrade": Green, "dist-upgrade": Green, "install": Green, "remove": Green, "purge": Green, "autoremove": Green,
	}}
	// dpkgSearches are patterns that are compared with the names of installed files; none is opened.
	dpkgSearches = grammar{tier: Green, shape: lazyre.MustCompile(`^[A-Za-z0-9_./+:@-]+$`)}
	// dpkgFormats print fields of packages, as a format says.
	dpkgFormats = grammar{tier: Green, short: "f:", long: "showformat= no-pager", shape: lazyre.MustCompile(`^(?:[a-z0-9][A-Za-z0-9.+:*?-]*|(?:\$\{[A-Za-z:-]+(?:;-?[0-9]+)?\}|\\n|\\t|[ \t,;:|=-])+)$`)}
)
