# Docker, in which business tools run. agentd has no right to its socket; a filter with a few fixed questions has (step 10).
config() {
	cat <<'JSON'
{
	"live-restore": true,
	"log-driver": "local",
	"no-new-privileges": true,
	"icc": false
}
JSON
}

check() { installed docker.io && config | same /etc/docker/daemon.json && active docker && docker version --format '{{.Server.Version}}' >/dev/null; }

do_it() {
	local changed=
	config | same /etc/docker/daemon.json || changed=yes
	config | put /etc/docker/daemon.json 0644
	install_packages docker.io
	systemctl enable --quiet docker
	if [ -n "$changed" ] && active docker; then systemctl restart docker; fi
	systemctl start docker
}
