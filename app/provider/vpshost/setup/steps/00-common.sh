# What all steps use. Each step defines check, which changes nothing and ends with another status than 0 when the step is not
# done, and do_it, which may be repeated and goes on where it was cut off.
set -euo pipefail
umask 022
export DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes LC_ALL=C.UTF-8
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

say() { printf '%s\n' "$*"; }

# missing PACKAGE...: those that are not installed whole
missing() {
	local p
	for p in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null)" = 'ii ' ] || say "$p"
	done
}

installed() { [ -z "$(missing "$@")" ]; }

# held: whether another package manager is at work. dpkg, and apt-get while it fetches its lists, would end at once instead of waiting.
held() {
	local lock
	for lock in /var/lib/dpkg/lock-frontend /var/lib/dpkg/lock /var/lib/apt/lists/lock /var/cache/apt/archives/lock; do
		if [ -e "$lock" ] && grep -q ":$(stat -c %i "$lock") " /proc/locks; then return 0; fi
	done
	return 1
}

# wait_for_packages: waits up to five minutes for another package manager to end
wait_for_packages() {
	local end=$((SECONDS + 300))
	while held && [ "$SECONDS" -lt "$end" ]; do
		say 'another package manager is at work; waiting for it'
		sleep 5
	done
}

# install_packages PACKAGE...: installs what is missing, after other package managers
install_packages() {
	local names
	names=$(missing "$@")
	[ -n "$names" ] || return 0
	wait_for_packages
	dpkg --configure -a
	wait_for_packages
	apt-get -o DPkg::Lock::Timeout=300 -qq update
	# shellcheck disable=SC2086 # a list of names
	apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
		-o Dpkg::Use-Pty=0 -qq -y install --no-install-recommends $names
}

# put FILE MODE: writes standard input to FILE, which is whole or as it was
put() {
	mkdir -p "$(dirname "$1")"
	rm -f "$1.new"
	(umask 077 && cat >"$1.new")
	chmod "$2" "$1.new"
	mv -f "$1.new" "$1"
}

# same FILE: whether FILE holds what stands on standard input
same() { cmp -s - "$1"; }

# fitting: a configuration of nginx without the lines that would keep it from starting where there is no IPv6
fitting() { if [ -e /proc/net/if_inet6 ]; then cat; else sed '/\[::\]/d'; fi; }

active() { systemctl is-active --quiet "$@"; }
