package taint

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// flags are those of a program that do not change which files it reads or writes. A long one that takes a value in the same
// word ends in =. A long flag counts only when it is written in full.
type flags struct{ short, long string }

// What programs show of files. Nothing is known of other programs and other flags.
var (
	// showsOperands are programs that show the content of no file except their operands, and write no other.
	showsOperands = map[string]flags{
		"cat":  {"AbEensTtuv", "number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank"},
		"head": {"cnqv", "bytes bytes= lines lines= quiet silent verbose zero-terminated"},
		"tail": {"cnqv", "bytes bytes= lines lines= quiet retry silent verbose zero-terminated"},
		"wc":   {"clmLw", "bytes chars lines max-line-length words"},
		"nl":   {"abnsvw", "body-numbering= number-format= number-separator= number-width= starting-line-number="},
		"tac":  {},
		"rev":  {},
		"cut":  {"bcdfs", "bytes= characters= complement delimiter= fields= only-delimited output-delimiter="},
		"tr":   {"cdst", "complement delete squeeze-repeats truncate-set1"},
		"sort": {"bdfghiknMRrstuV", "check field-separator= general-numeric-sort human-numeric-sort ignore-case key= month-sort " +
			"numeric-sort parallel= reverse stable unique version-sort"},
		"uniq": {"cdiu", "count ignore-case repeated unique"},
		"grep": {"ABCcEeFhHiLlmnoqRrsvwx", grepLong},
		"cmp":  {"bls", "print-bytes quiet silent verbose"},
		"diff": {"bBiqruwy", "brief color color= exclude= ignore-all-space ignore-blank-lines ignore-case ignore-space-change " +
			"recursive side-by-side suppress-common-lines unified unified= width="},
		"md5sum":    {"b", "binary tag text"},
		"sha256sum": {"b", "binary tag text"},
		"cp": {"afinpRrv", "archive force interactive no-clobber no-dereference no-target-directory parents preserve preserve= " +
			"recursive update verbose"},
		"mv":  {"finv", "force interactive no-clobber no-target-directory update verbose"},
		"ln":  {"fnsv", "force no-dereference no-target-directory relative symbolic verbose"},
		"sed": {"n", ""},
		"tee": {"a", "append"},
	}
	// showsNames are programs that show names and figures only.
	showsNames = map[string]flags{
		"date": {"dIu", "date= iso-8601 iso-8601= rfc-3339= rfc-email universal utc"},
		"df": {"ahikmPT", "all exclude-type= human-readable inodes local output output= portability print-type si total " +
			"type="},
		"du": {"abchkmsx", "all apparent-size bytes exclude= human-readable inodes max-depth= one-file-system si summarize " +
			"threshold= time total"},
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
	// showsNothing are programs that show no content of any file, whatever their words are.
	showsNothing = []string{
		"ls", "echo", "printf", "pwd", "test", "[", ":", "true", "false", "which", "basename", "dirname", "mkdir", "rmdir",
		"touch", "rm",
	}
	// machinePrograms are programs that show the machine, and files only as far as a word names them.
	machinePrograms = []string{
		"systemctl", "journalctl", "ip", "ss", "netstat", "dpkg", "dpkg-query", "apt-cache", "apt-mark", "getent", "lsblk", "lscpu",
		"lsmem", "vmstat", "iostat", "who", "w", "last", "hostnamectl", "timedatectl", "loginctl", "lsof", "pgrep", "pstree", "top",
		"findmnt",
	}
	// machineVerbs are programs that do so with some verbs only.
	machineVerbs = map[string][]string{
		"git":    {"status", "branch", "remote"},
		"docker": {"ps", "stats", "images", "logs", "version", "info", "inspect", "top", "port"},
		"apt":    {"list"},
	}
	// printsLines are the scripts of sed that read no further file.
	printsLines = lazyre.MustCompile(`^[0-9]+(,([0-9]+|\$))?p$`)
	// takesNext is a flag of grep whose value is the next word.
	takesNext = lazyre.MustCompile(`^-[A-Za-z0-9]*[ABCem]$`)
	// givesPattern is a flag of grep whose value is the pattern.
	givesPattern = lazyre.MustCompile(`^-[A-Za-z0-9]*e$`)
	// findAction is a word with which find does more than list names.
	findAction = lazyre.MustCompile(`^-(exec|ok|fprint|fls|files0)`)
	// flagGroup is a group of short flags, with a number or punctuation after them.
	flagGroup = lazyre.MustCompile(`^-([A-Za-z0-9]+)[0-9,;:|+-]*$`)
	// flagValue is the value of a flag that is not a path.
	flagValue = lazyre.MustCompile(`^[A-Za-z0-9_,:+%.*-]*$`)
)

const grepLong = "after-context= basic-regexp before-context= byte-offset color color= colour colour= context= count exclude= " +
	"exclude-dir= extended-regexp files-with-matches files-without-match fixed-strings ignore-case include= initial-tab " +
	"invert-match line-number line-regexp max-count= no-filename no-messages only-matching perl-regexp quiet silent " +
	"with-filename word-regexp"

// showsMachine reports whether a program shows the machine.
func showsMachine(name string, words []string) bool {
	if verbs, ok := machineVerbs[name]; ok {
		return len(words) > 0 && slices.Contains(verbs, words[0])
	}
	switch name {
	case "env":
		return len(words) == 0
	case "printenv":
		return !slices.ContainsFunc(words, isFlag)
	}
	return slices.Contains(machinePrograms, name)
}

func isFlag(word string) bool { return strings.HasPrefix(word, "-") }

// have reports whether a word consists of these flags only.
func (f flags) have(word string) bool {
	if long, ok := strings.CutPrefix(word, "--"); ok {
		name, value, valued := strings.Cut(long, "=")
		if valued {
			name += "="
		}
		return flagValue.MatchString(value) && slices.Contains(strings.Fields("help version "+f.long), name)
	}
	m := flagGroup.FindStringSubmatch(word)
	return m != nil && strings.Trim(m[1], f.short+"0123456789") == ""
}
