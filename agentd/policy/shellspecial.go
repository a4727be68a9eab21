package policy

import (
	"slices"
	"strings"
)

// special are commands whose words are judged by rules of their own. It is filled in init because the rules of
// wrappers come back here.
var special map[string]func(*judge, []arg)

func init() {
	special = map[string]func(*judge, []arg){
		"find": (*judge).find, "xargs": (*judge).xargs, "env": (*judge).envCommand,
		"sed": (*judge).sed, "awk": (*judge).awk, "gawk": (*judge).awk, "mawk": (*judge).awk, "nawk": (*judge).awk,
		"egrep": (*judge).grepAlias, "fgrep": (*judge).grepAlias, "zgrep": (*judge).grepAlias, "zegrep": (*judge).grepAlias, "zfgrep": (*judge).grepAlias,
		"rg": (*judge).rg, "ps": (*judge).ps, "printf": (*judge).printf, "test": (*judge).test, "[": (*judge).test, "cp": (*judge).cp, "kill": (*judge).kill,
		"git": (*judge).git, "redis-cli": (*judge).redisCLI, "systemctl": (*judge).systemctl, "service": (*judge).service,
		"psql": databaseClient("psql"), "mysql": databaseClient("mysql"), "mariadb": databaseClient("mariadb"), "sqlite3": databaseClient("sqlite3"),
		"pg_isready": (*judge).pgIsReady,
		"mongosh":    databaseClient("mongosh"), "mongo": databaseClient("mongo"), "nerdctl": (*judge).dockerShell,
		"strings": (*judge).stringsOf, "jq": (*judge).jq, "ip": (*judge).ip, "nmcli": (*judge).nmcli, "ss": (*judge).ss, "rsync": (*judge).rsync,
		"zless": (*judge).pager, "zmore": (*judge).pager,
		"date": (*judge).date, "rm": (*judge).rm, "dd": (*judge).dd, "tar": (*judge).tar, "chmod": (*judge).chmod, "mount": (*judge).mount,
		"read": (*judge).read, "mapfile": (*judge).mapfile, "readarray": (*judge).mapfile, "set": (*judge).set, "return": (*judge).leave, "break": (*judge).leave, "continue": (*judge).leave,
		"tee": (*judge).tee, "lsof": (*judge).lsof, "less": (*judge).pager, "more": (*judge).pager, "yq": (*judge).yq, "pdftotext": (*judge).pdftotext,
		"docker": (*judge).dockerShell, "podman": (*judge).dockerShell, "docker-compose": (*judge).composeShell,
	}
	for prog, w := range wrappers {
		special[prog] = wrap(w)
	}
}

func (j *judge) grepAlias(args []arg) { j.grammar(table["grep"], args) }

// stringsOf reads more words from a file when one begins with @.
func (j *judge) stringsOf(args []arg) {
	j.grammar(table["strings"], args)
	if anyWord(args, func(w string) bool { return strings.HasPrefix(w, "@") }) {
		j.raise(Red, "It reads its words from a file.")
	}
}

func anyWord(args []arg, is func(string) bool) bool {
	return slices.ContainsFunc(args, func(a arg) bool { return is(a.text) })
}

// mount alone lists what is mounted.
func (j *judge) mount(args []arg) {
	if len(args) > 0 {
		j.raise(Forbidden, disks)
	}
}

// dockerShell judges docker as a command; the tool docker is judged by the same rules.
func (j *judge) dockerShell(args []arg) {
	named := slices.Clone(args)
	for i, a := range args {
		switch {
		case !a.fixed && a.origin == plain:
			named[i] = arg{text: a.text + "1", fixed: true} // a name, or a number
		case !a.fixed:
			j.raise(Red, "What it works on is only known when it runs.")
		}
	}
	j.docker(named)
}

// composeShell is docker-compose, as it was called before it became a part of docker.
func (j *judge) composeShell(args []arg) {
	j.dockerShell(append([]arg{{text: "compose", fixed: true}}, args...))
}
