package policy

import (
	"path"
	"strings"
)

// secretNames are files that hold secrets wherever they lie, as patterns of the last part of a path.
var secretNames = []string{
	".env", ".env.*", "*.env", ".envrc", ".netrc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials", ".npmrc", ".pypirc",
	".dockercfg", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.kdbx",
	"*.keystore", "shadow", "shadow-", "gshadow", "gshadow-", "master.key", "credentials", "credentials.json", "secrets.*",
	"secret.*", "authorized_keys", "authorized_keys2", "sudoers",
	".bash_history", ".zsh_history", ".mysql_history", ".psql_history", ".python_history", ".rediscli_history", ".node_repl_history", "*.ppk", "*.ovpn", ".vault-token",
	".s3cfg", ".boto", "rclone.conf", "kubeconfig", "*.tfstate", "*.tfstate.*", "wp-config.php", "htpasswd", "*.kubeconfig", "wallet.dat", ".dockerconfigjson", "*.gpg-key",
	"auth.json", "my.cnf", ".mylogin.cnf", "client_secret*.json", "service-account*.json", "service_account*.json", "serviceaccount*.json", "*firebase-adminsdk*.json",
	"application_default_credentials.json", "credentials.toml", "credentials.tfrc.json", ".terraformrc", "terraform.rc", "*.tfvars", "*.tfvars.json", "wg*.conf",
	"localsettings.php", "configuration.php", "local_settings.py", "appsettings*.json", "local.settings.json", "passwords.*", "passwords", "_netrc", "*.p8", "*.pkcs12",
	".msmtprc", ".fetchmailrc", ".smbcredentials", "sasl_passwd", ".htdigest", ".sh_history", ".sqlite_history",
}

// secretPaths hold secrets only where they usually lie: their last parts alone say nothing.
var secretPaths = []string{".config/gcloud", ".config/gh/hosts.yml", ".config/hub", ".config/doctl", ".m2/settings.xml"}

// secretFolders hold secrets or powers in every file of theirs.
var secretFolders = []string{".ssh", ".gnupg", ".aws", ".kube", ".docker", "secrets", ".secrets", "sudoers.d", ".password-store", ".azure", ".terraform.d", ".env.d", ".envs"}

// ownNames are agentd's own files and the gate's configuration, wherever a copy lies.
var ownNames = []string{"agentd", "agentd.*", "agentd-*", "gatehouse.db*", "permissions.yaml", "permissions.yml", "model.key", "receipts.db*"}

// startupNames are read by programs when they start: writing one is running code later.
var startupNames = []string{
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".login",
	".cshrc", ".kshrc", ".vimrc", ".gitconfig", ".pam_environment", ".xinitrc", ".inputrc", "crontab", "*.service", "*.timer",
	"*.socket", "ld.so.preload", ".jq", ".curlrc", ".wgetrc", ".psqlrc", ".sqliterc", ".nanorc", ".toprc", ".screenrc", ".tmux.conf",
	".bash_aliases", ".xprofile", ".forward",
}

// Protected says why a path may not be touched at all, read or written, whoever approves; empty when it may. Paths in
// the data root are given as Rel gives them, so that the names above the root do not matter; others are absolute. A kept
// copy is what the file itself is.
func Protected(p string, env Env) string {
	if own := ownFolder(p, env); own != "" {
		return own
	}
	p = strings.ToLower(path.Clean(p)) // some file systems know no case; the names do not either
	base := path.Base(p)
	for name := range keptNames(base) {
		switch {
		case matches(name, ownNames):
			return "It belongs to agentd or to the gate's configuration."
		case matches(name, secretNames), name == "env" && name != base: // env.bak is one of .env; env alone is often a folder of programs
			return "It may hold secrets."
		}
	}
	if hasFolder(p, secretFolders) || hasPath(p) {
		return "It may hold secrets."
	}
	return ""
}

// hasPath says whether a path is one of secretPaths, or lies in one, wherever that begins.
func hasPath(p string) bool {
	for _, s := range secretPaths {
		if strings.Contains("/"+p+"/", "/"+s+"/") {
			return true
		}
	}
	return false
}

// SecretsBeneath are the files and folders that hold secrets in a folder with this name, as Rel gives it, and in no
// other one: beneath another name nobody would know them.
func SecretsBeneath(dir string) []string {
	dir = "/" + strings.ToLower(path.Clean(dir))
	var out []string
	for _, s := range secretPaths {
		for i := strings.IndexByte(s, '/'); i >= 0; {
			if strings.HasSuffix(dir, "/"+s[:i]) {
				out = append(out, s[i+1:])
			}
			next := strings.IndexByte(s[i+1:], '/')
			if next < 0 {
				break
			}
			i += 1 + next
		}
	}
	return out
}

// ownFolder says that an absolute path lies in a folder of agentd's own.
func ownFolder(p string, env Env) string {
	p = path.Clean(p)
	if path.IsAbs(p) && (within(p, env.state()) || within(p, defaultState) || within(p, "/etc/gatehouse")) {
		return "It belongs to agentd itself."
	}
	return ""
}

// startup says why a path may not be written; empty when it may.
func startup(p string) string {
	if matches(strings.ToLower(path.Base(p)), ownLists) {
		return "It says where the business's tools are."
	}
	if matches(strings.ToLower(path.Base(p)), startupNames) || hasFolder(strings.ToLower(p), startupFolders) {
		return "Programs run what stands in it."
	}
	return ""
}

// ownLists are read by agents and kept by the owner.
var ownLists = []string{"tool-registry.json", "tool-registry.yaml"}

// startupFolders hold what programs run.
var startupFolders = []string{"cron.d", "cron.hourly", "cron.daily", "cron.weekly", "cron.monthly", "init.d", "systemd", "autostart", ".git", ".cargo"}

func matches(base string, patterns []string) bool {
	for _, pat := range patterns {
		if !couldMatch(pat, base) {
			continue
		}
		if ok, err := path.Match(pat, base); err == nil && ok {
			return true
		}
	}
	return false
}

// couldMatch looks at both ends alone: of a hundred patterns hardly one begins and ends as a name does.
func couldMatch(pat, base string) bool {
	if pat == "" || base == "" {
		return pat == base
	}
	first, last := pat[0], pat[len(pat)-1]
	return (first == base[0] || wildcard(first)) && (last == base[len(base)-1] || wildcard(last))
}

// wildcard says whether c may stand for something else in a pattern: at its beginning or end.
func wildcard(c byte) bool { return c == '*' || c == '?' || c == '[' || c == ']' || c == '\\' }

func hasFolder(p string, names []string) bool {
	for part := range strings.SplitSeq(p, "/") {
		for _, n := range names {
			if part == n {
				return true
			}
		}
	}
	return false
}

// within says whether p is dir or lies in it; both clean and absolute, or both relative.
func within(p, dir string) bool {
	return p == dir || dir == "/" && path.IsAbs(p) || strings.HasPrefix(p, dir+"/")
}
