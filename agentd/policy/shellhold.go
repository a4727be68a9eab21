package policy

// holding are programs that may write on the way, with the flags that keep those from it that shall only read: a
// database that makes its file or its log, a repository that names programs of its own, a project whose plugins are loaded
// to tell a version, a file in the working folder that says which server is asked. A setting that allows one way to fetch
// holds over the one that allows none, so each way is forbidden by its name, too.
var holding = map[string][]string{
	"sqlite3":       {"-readonly"},
	"composer":      {"--no-plugins"},
	"poetry":        {"--no-plugins"},
	"supervisorctl": {"-c", "/etc/supervisor/supervisord.conf"},
	"git": {
		"--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
		"-c", "safe.bareRepository=explicit", "-c", "log.showSignature=false", "-c", "core.untrackedCache=false", "-c", "diff.submodule=short",
		"-c", "protocol.allow=never", "-c", "protocol.ext.allow=never", "-c", "protocol.fd.allow=never", "-c", "protocol.file.allow=never", "-c", "protocol.ssh.allow=never",
		"-c", "protocol.git.allow=never", "-c", "protocol.http.allow=never", "-c", "protocol.https.allow=never", "-c", "protocol.ftp.allow=never", "-c", "protocol.ftps.allow=never",
	},
}

// Holding are the flags without which a call of a program that counts as reading is none. Who runs it puts them before
// its words; a program that nobody puts them before must not be counted so.
func Holding(prog string) []string { return holding[prog] }
