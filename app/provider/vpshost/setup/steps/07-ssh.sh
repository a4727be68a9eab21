# SSH on port 22022, with keys alone. The old port stays open until the hub has come in by the new one.
# shellcheck disable=SC2154 # ssh_port: where the hub is connected now
jail() {
	cat <<'CONF'
[sshd]
enabled = true
backend = systemd
port = 22022
CONF
}

settings() {
	say '# Written when the machine was set up.'
	say 'Port 22022'
	[ "$ssh_port" = 22022 ] || say "Port $ssh_port"
	cat <<'CONF'
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitEmptyPasswords no
PermitRootLogin prohibit-password
X11Forwarding no
AllowAgentForwarding no
MaxAuthTries 3
LoginGraceTime 20
CONF
}

check() {
	installed openssh-server fail2ban && settings | same /etc/ssh/sshd_config.d/00-gatehouse.conf &&
		jail | same /etc/fail2ban/jail.d/gatehouse.conf && active ssh fail2ban && sshd -T | grep -x 'passwordauthentication no' >/dev/null &&
		sshd -T | grep -x 'port 22022' >/dev/null
}

do_it() {
	jail | put /etc/fail2ban/jail.d/gatehouse.conf 0644
	install_packages openssh-server fail2ban python3-systemd
	grep -qs '^Include /etc/ssh/sshd_config.d/' /etc/ssh/sshd_config ||
		{ printf 'Include /etc/ssh/sshd_config.d/*.conf\n'; cat /etc/ssh/sshd_config; } | put /etc/ssh/sshd_config 0644
	sed -i 's/^[[:space:]]*Port[[:space:]]/#&/' /etc/ssh/sshd_config
	settings | put /etc/ssh/sshd_config.d/00-gatehouse.conf 0644
	sshd -t
	# Where systemd opens the port itself, settings of sshd do not count.
	if systemctl is-enabled --quiet ssh.socket 2>/dev/null; then systemctl disable --quiet --now ssh.socket; fi
	systemctl enable --quiet ssh fail2ban
	systemctl restart ssh
	systemctl restart fail2ban
}
