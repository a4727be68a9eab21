# Security updates come by themselves, and the machine restarts at night where one needs it.
settings() {
	cat <<'CONF'
APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "1";
Unattended-Upgrade::Automatic-Reboot "true";
Unattended-Upgrade::Automatic-Reboot-Time "03:30";
CONF
}

check() { installed unattended-upgrades && settings | same /etc/apt/apt.conf.d/52gatehouse && systemctl is-enabled --quiet apt-daily-upgrade.timer; }

do_it() {
	install_packages unattended-upgrades
	settings | put /etc/apt/apt.conf.d/52gatehouse 0644
	systemctl enable --quiet --now apt-daily.timer apt-daily-upgrade.timer
}
