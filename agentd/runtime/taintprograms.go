package runtime

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// What programs show of files. Of any other program, and of any other flag, it is not known here.
var (
	// showsOperands are programs that show nothing of any file but of those that their operands name, each with the flags
	// that change nothing about that.
	showsOperands = map[string]string{
		"cat": "AbEensTtuv", "head": "cnqv", "tail": "cnqv", "wc": "clmLw", "nl": "abnsvw", "tac": "", "rev": "", "cut": "bcdfs", "tr": "cdst",
		"sort": "bdfghiknMRrstuV", "uniq": "cdiu", "grep": "ABCcEeFhHiLlmnoqRrsvwx", "cmp": "bls", "diff": "bBiqruwy", "md5sum": "b", "sha256sum": "b",
		"cp": "afinpRrv", "mv": "finv", "ln": "fnsv", "sed": "n", "tee": "a",
	}
	// showsNames are programs that show names and figures alone.
	showsNames = map[string]string{
		"date": "dIu", "df": "ahikmPT", "du": "abchkmsx", "free": "bghkmtw", "uptime": "p", "whoami": "", "id": "gnu", "hostname": "", "uname": "amnrs",
		"nproc": "", "ps": "Aaefjlux", "stat": "c", "sleep": "",
	}
	// showsNothing show nothing of the content of any file, whatever their words are.
	showsNothing = []string{"ls", "echo", "printf", "pwd", "test", "[", ":", "true", "false", "which", "basename", "dirname", "mkdir", "rmdir", "touch", "rm"}
	// machine are programs that tell of the machine, and of files as far as a word names them.
	machine = []string{
		"systemctl", "journalctl", "ip", "ss", "netstat", "dpkg", "dpkg-query", "apt-cache", "apt-mark", "getent", "lsblk", "lscpu", "lsmem", "vmstat",
		"iostat", "who", "w", "last", "hostnamectl", "timedatectl", "loginctl", "lsof", "pgrep", "pstree", "top", "findmnt",
	}
	// machineVerbs are programs of which some forms do.
	machineVerbs = map[string][]string{
		"git": {"status", "branch", "remote"}, "docker": {"ps", "stats", "images", "logs", "version", "info", "inspect", "top", "port"}, "apt": {"list"},
	}
	// picksLines is all of sed that reads no further file.
	picksLines = lazyre.MustCompile(`^[0-9]+(,([0-9]+|\$))?p$`)
	// findActs are words with which find does more than to show names.
	findActs = lazyre.MustCompile(`^-(exec|ok|fprint|fls|files0)`)
)

// asksMachine says whether a program tells of the machine.
func asksMachine(prog string, words []string) bool {
	if verbs, ok := machineVerbs[prog]; ok {
		return len(words) > 0 && slices.Contains(verbs, words[0])
	}
	return slices.Contains(machine, prog) || prog == "env" && len(words) == 0 || prog == "printenv" && !slices.ContainsFunc(words, isFlag)
}

func isFlag(word string) bool { return strings.HasPrefix(word, "-") }
