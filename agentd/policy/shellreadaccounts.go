package policy

// readsAccounts tell who may do what, who was here, and what is planned.
var readsAccounts = map[string][]readForm{
	"getent":   {{"passwd|group|services|protocols", named("", "")}, {"hosts localhost", nothing}},
	"lastlog":  {{"", named("u:b:t:", "user= before= time=")}},
	"lastb":    {{"", grammar{tier: Green, short: "n:aFiRwx", digits: true, words: map[string]Tier{}}}},
	"lslogins": {{"", named("aceJLnrsuzG", "json output-all noheadings raw supp-groups system-accs user-accs last")}},
	"chage":    {{"-l *|--list *", nothing}}, "passwd": {{"-S|-S *|--status|--status *|-S -a", nothing}},
	"visudo":  {{"-c|--check|-cq|-c -q", nothing}},
	"crontab": {{"-l", nothing}}, "atq": {{"", nothing}}, "at": {{"-l", nothing}},
	"loginctl": {
		{"list-sessions|list-users|list-seats|session-status|user-status|show-session|show-user|seat-status", named("p:l", "no-pager no-legend property= full all value")},
		{"", grammar{tier: Green, long: "no-pager", words: map[string]Tier{}}},
	},
	"getenforce": {{"", nothing}}, "sestatus": {{"", flagsOnly("vb", "")}}, "aa-status": {{"", nothing}}, "apparmor_status": {{"", nothing}},
	"auditctl": {{"-l|-s", nothing}},
	"ausearch": {{"", grammar{tier: Green, word: words("-m -ts -te -k -ua -ui -x -sv -c -p -i --raw"), words: map[string]Tier{}, names: true}}},
}
