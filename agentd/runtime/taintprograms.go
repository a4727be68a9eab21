package runtime

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// flags are those of a program that are of no account here. A long one that takes a value in the same word ends in =; one
// that is not written out whole is none of them.
type flags struct{ short, long string }

// What programs show of files. Of any other program, and of any other flag, it is not known here.
var (
	// showsOperands are programs that show nothing of any file but of those that their operands name, and write no other,
	// each with the flags that change nothing about that.
	showsOperands = map[string]flags{
		"cat":       {"AbEensTtuv", "number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank"},
		"head":      {"cnqv", "bytes bytes= lines lines= quiet silent verbose zero-terminated"},
		"tail":      {"cnqv", "bytes bytes= lines lines= quiet retry silent verbose zero-terminated"},
		"wc":        {"clmLw", "bytes chars lines max-line-length words"},
		"nl":        {"abnsvw", "body-numbering= number-format= number-separator= number-width= starting-line-number="},
		"tac":       {},
		"rev":       {},
		"cut":       {"bcdfs", "bytes= characters= complement delimiter= fields= only-delimited output-delimiter="},
		"tr":        {"cdst", "complement delete squeeze-repeats truncate-set1"},
		"sort":      {"bdfghiknMRrstuV", "check field-separator= general-numeric-sort human-numeric-sort ignore-case key= month-sort numeric-sort parallel= reverse stable unique version-sort"},
		"uniq":      {"cdiu", "count ignore-case repeated unique"},
		"grep":      {"ABCcEeFhHiLlmnoqRrsvwx", grepLong},
		"cmp":       {"bls", "print-bytes quiet silent verbose"},
		"diff":      {"bBiqruwy", "brief color color= exclude= ignore-all-space ignore-blank-lines ignore-case ignore-space-change recursive side-by-side suppress-common-lines unified unified= width="},
		"md5sum":    {"b", "binary tag text"},
		"sha256sum": {"b", "binary tag text"},
		"cp":        {"afinpRrv", "archive force interactive no-clobber no-dereference no-target-directory parents preserve preserve= recursive update verbose"},
		"mv":        {"finv", "force interactive no-clobber no-target-directory update verbose"},
		"ln":        {"fnsv", "force no-dereference no-target-directory relative symbolic verbose"},
		"sed":       {"n", ""},
		"tee":       {"a", "append"},
	}
	// showsNames are programs that show names and figures alone.
	showsNames = map[string]flags{
		"date":     {"dIu", "date= iso-8601 iso-8601= rfc-3339= rfc-email universal utc"},
		"df":       {"ahikmPT", "all exclude-type= human-readable inodes local output output= portability print-type si total type="},
		"du":       {"abchkmsx", "all apparent-size bytes exclude= human-readable inodes max-depth= one-file-system si summarize threshold= time total"},
		"free":     {"bghkmtw", "bytes gibi giga human kibi kilo mebi mega si total wide"},
		"uptime":   {"p", "pretty since"},
		"whoami":   {},
		"id":       {"gnu", "group groups name user"},
		"hostname": {"", "all-ip-addresses domain fqdn ip-address long short"},
		"uname":    {"amnrs", "all kernel-name kernel-release kernel-version machine nodename operating-system processor"},
		"nproc":    {"", "all"},
		"ps":       {"Aaefjlux", "forest format= headers no-heading no-headers no-headings pid= ppid= sort= user="},
		"stat":     {"c", "dereference file-system format= printf= terse"},
		"sleep":    {},
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
	// takesNext is a flag of grep whose value is the next word.
	takesNext = lazyre.MustCompile(`^-[A-Za-z0-9]*[ABCem]$`)
	// givesPattern is one whose value is what grep looks for.
	givesPattern = lazyre.MustCompile(`^-[A-Za-z0-9]*e$`)
	// findActs are words with which find does more than to show names.
	findActs = lazyre.MustCompile(`^-(exec|ok|fprint|fls|files0)`)
)

const grepLong = "after-context= basic-regexp before-context= byte-offset color color= colour colour= context= count exclude= exclude-dir= extended-regexp files-with-matches " +
	"files-without-match fixed-strings ignore-case include= initial-tab invert-match line-number line-regexp max-count= no-filename no-messages only-matching perl-regexp quiet silent with-filename word-regexp"

// asksMachine says whether a program tells of the machine.
func asksMachine(prog string, words []string) bool {
	if verbs, ok := machineVerbs[prog]; ok {
		return len(words) > 0 && slices.Contains(verbs, words[0])
	}
	return slices.Contains(machine, prog) || prog == "env" && len(words) == 0 || prog == "printenv" && !slices.ContainsFunc(words, isFlag)
}

func isFlag(word string) bool { return strings.HasPrefix(word, "-") }
