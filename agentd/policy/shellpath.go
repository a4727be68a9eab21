package policy

import (
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// harmless are the paths outside the data root that may be read at once: what the machine says of itself.
var harmless = []string{
	"/dev/null", "/dev/zero", "/proc/cpuinfo", "/proc/diskstats", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo",
	"/proc/mounts", "/proc/partitions", "/proc/stat", "/proc/swaps", "/proc/uptime", "/proc/version", "/proc/vmstat",
	"/proc/buddyinfo", "/proc/interrupts", "/proc/locks", "/proc/mdstat", "/proc/modules", "/proc/net/dev", "/proc/net/route", "/proc/net/sockstat", "/proc/net/snmp",
	"/proc/net/netstat", "/proc/pressure/cpu", "/proc/pressure/io", "/proc/pressure/memory", "/proc/softirqs", "/proc/sys/fs/file-nr", "/proc/sys/vm/swappiness",
	"/etc/os-release", "/etc/debian_version", "/etc/hostname", "/etc/timezone",
}

// system are the folders without which the machine is lost, with their contents.
var system = []string{
	"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr",
	"/var/lib", "/var/spool/cron", "/var/run",
}

// top are folders that hold everything of somebody; their contents may be somebody's own.
var top = []string{"/", "/home", "/opt", "/srv", "/var", "/mnt", "/media", "/tmp"}

// path judges a word as the name of something to read or, when write is true, to change. ok names more paths
// outside that this command may do it with.
func (j *judge) path(a arg, write bool, ok []string) {
	if a.maybe {
		named := a
		named.text, named.maybe = "./"+a.text, false
		j.path(named, write, ok)
	}
	if !a.fixed && (write || a.origin == made) {
		j.raise(Red, "Which file it is is only known when it runs.")
	}
	if !a.fixed && j.madeForSecrets(a.sketch) {
		j.raise(Red, "It may be the name of a file that holds secrets.")
	}
	if a.text == "" || a.text == "-" {
		return
	}
	if why := badName(a.text); why != "" {
		j.raise(Forbidden, why)
		return
	}
	p := j.abs(a.text)
	if a.glob {
		j.pattern(a.text)
	}
	if !a.glob && (!write && (slices.Contains(harmless, p) || slices.Contains(j.env.Feeds, a.text)) || slices.Contains(ok, p)) {
		return
	}
	j.place(p, write)
}

// processSecrets are what the kernel tells of the settings and the memory of programs.
var processSecrets = lazyre.MustCompile(`^/proc/[^/]+/(task/[^/]+/)?(environ|mem|maps|smaps|pagemap|auxv|stack|fd|root|cwd|exe)(/|$)|^/proc/(kcore|kmem|sysrq-trigger)|^/dev/(mem|kmem|port)$|^/dev/(sd|nvme|vd|xvd|hd|dm-|mapper|md|loop)`)

// abs is a word as a clean absolute path.
func (j *judge) abs(p string) string {
	if !path.IsAbs(p) {
		p = path.Join(j.env.cwd(), p)
	}
	return path.Clean(p)
}

// place judges by where a clean absolute path lies.
func (j *judge) place(p string, write bool) {
	root := j.env.root()
	if p == root {
		if write {
			j.raise(CriticalRed, "It changes the data folder itself.")
		}
		return
	}
	name, inside := strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/")
	if !inside {
		name = p
	}
	why := ownFolder(p, j.env)
	if why == "" {
		why = Protected(name, j.env)
	}
	if why != "" {
		j.raise(Forbidden, "The command names a file that may not be touched. "+why)
		return
	}
	if !inside && processSecrets.MatchString(p) {
		j.raise(Forbidden, "It shows what programs and disks hold.")
	}
	switch {
	case write && startup(name) != "":
		j.raise(Forbidden, "The command names a file that may not be written. "+startup(name))
	case inside:
	case write:
		j.outsideWrite(p)
	case strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/"):
		j.raise(Forbidden, "It reaches the network.")
	default:
		j.raise(Red, "It leads outside the data folder.")
	}
}

func (j *judge) outsideWrite(p string) {
	if slices.Contains(top, p) || slices.ContainsFunc(system, func(dir string) bool { return within(p, dir) }) ||
		strings.HasPrefix(p, "/*") {
		j.raise(Forbidden, "It changes the machine itself.")
		return
	}
	j.raise(CriticalRed, "It changes what lies outside the data folder.")
}

// samples are names that a pattern must not be made to match.
var samples = []string{".env", ".env.local", ".netrc", ".pgpass", ".ssh", ".gnupg", ".aws", "id_rsa", "id_ed25519", "authorized_keys"}

// secretEndings are the endings of files that hold secrets whatever stands before them.
var secretEndings = endings(secretNames)

func endings(patterns []string) []string {
	var out []string
	for _, p := range patterns {
		if end, ok := strings.CutPrefix(p, "*."); ok {
			out = append(out, end)
		}
	}
	return out
}

// pattern refuses a glob that is made to match secrets, in any of its parts. A general one such as * is not: what it
// really matches is looked at again before the program starts.
func (j *judge) pattern(glob string) {
	if j.madeForSecrets(glob) {
		j.raise(Forbidden, "The pattern may match files that hold secrets.")
	}
}

// madeForSecrets says whether a pattern fits the names of files and folders that hold secrets, and few others.
func (j *judge) madeForSecrets(glob string) bool {
	for part := range strings.SplitSeq(strings.ToLower(glob), "/") {
		if part == ".." || part == "." || len(strings.Trim(part, "*?")) < 2 && !strings.HasPrefix(part, ".") {
			continue
		}
		for _, s := range samples {
			if ok, err := path.Match(part, s); err != nil || ok {
				return true
			}
		}
		ending := part[strings.LastIndexByte(part, '.')+1:]
		if spells(part, secretNames) || spells(part, secretFolders) || ending != part && (spells(ending, secretEndings) || slices.Contains(secretEndings, ending)) {
			return true
		}
	}
	return false
}

// maxHidden is how many letters of a name a pattern may leave out and still be made for that name.
const maxHidden = 3

// spells says whether a pattern spells one of the names, save for a few letters.
func spells(pattern string, names []string) bool {
	written := len(wildcards.ReplaceAllString(pattern, ""))
	for _, name := range names {
		hidden := len(name) - written
		if strings.ContainsAny(name, "*?[") || hidden > maxHidden || hidden >= written || !hasMeta(pattern) {
			continue
		}
		if ok, err := path.Match(pattern, name); err != nil || ok {
			return true
		}
	}
	return false
}

// wildcards are the parts of a pattern that stand for letters which it does not say.
var wildcards = lazyre.MustCompile(`\*|\?|\[[^\]]*\]`)
