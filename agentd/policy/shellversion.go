package policy

import "strings"

// Programs that tell their version and do nothing else when the flag is their only word. The flag differs: what is
// "version" to one is "read commands from the input" to another, so only those stand here whose manual says so. yarn and
// pnpm do not: they first run the one that a file of the project names, and that may be a script in it.
var (
	versionLong = words(`python python2 python3 perl ruby node nodejs deno bun php java javac go gcc cc make cmake rustc cargo git docker npm npx pip pip3
		curl wget rsync ssh psql mysql mariadb sqlite3 redis-cli redis-server mongosh mongod nginx apache2 httpd openssl certbot kubectl helm ansible terraform
		gpg tmux screen vim nano less man ffmpeg convert caddy haproxy postgres pg_dump mysqldump restic borg fail2ban-client ufw iptables nft systemctl bash zsh lua tar composer
		pandoc rclone podman docker-compose virsh snap flatpak uv pipx ruff poetry tofu vault consul nomad traefik promtool pg_restore pg_basebackup mongodump`)
	versionUpper = words(`python python2 python3 perl cargo rustc pip pip3 deno curl wget rsync ssh psql mysql mariadb nginx apache2 httpd postgres pg_dump pg_restore
		mysqldump borg fail2ban-client iptables nft nano less man composer uv ruff`)
	versionLower = words("node nodejs ruby perl php npm nginx apache2 httpd haproxy uv")
	versionDash  = words("java javac magick convert identify terraform")
	versionWord  = words("go openssl docker terraform tofu caddy restic rclone kubectl helm podman hugo vault consul nomad traefik")
)

// tellsVersion says whether a program only tells its version, or how it is called, when w is its only word.
func tellsVersion(prog, w string) bool {
	names := []string{prog, family(prog)}
	in := func(list map[string]bool) bool { return list[names[0]] || list[names[1]] }
	switch w {
	case "--version":
		_, listed := table[prog]
		return listed || in(versionLong)
	case "--help":
		_, listed := table[prog]
		return listed
	case "-V":
		return in(versionUpper)
	case "-v":
		return in(versionLower)
	case "-version":
		return in(versionDash) || strings.HasPrefix(prog, "java")
	case "version":
		return in(versionWord)
	}
	return false
}
