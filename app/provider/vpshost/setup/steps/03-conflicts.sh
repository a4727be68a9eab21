# Services that came with the machine and hold the ports of the web server.
known='apache2 httpd lighttpd caddy haproxy exim4 postfix'

# holders: the services that hold port 80 or 443 and are not our web server
holders() {
	local pid unit
	for pid in $(ss -Hltnp '( sport = :80 or sport = :443 )' | grep -o 'pid=[0-9]*' | cut -d= -f2 | sort -u); do
		unit=$(sed -n 's|.*/\([^/]*\.service\)$|\1|p' "/proc/$pid/cgroup" | head -n 1)
		[ "$unit" = nginx.service ] || say "${unit:-pid $pid}"
	done
}

check() {
	local u
	[ -z "$(holders)" ] || return 1
	for u in $known; do
		if active "$u" || systemctl is-enabled --quiet "$u" 2>/dev/null; then return 1; fi
	done
}

do_it() {
	local u
	for u in $known $(holders | grep '\.service$' || true); do
		systemctl cat "$u" >/dev/null 2>&1 || continue
		say "Stopping $u and keeping it from starting again."
		systemctl disable --quiet --now "$u" || true
	done
	u=$(holders)
	[ -z "$u" ] || { say "Port 80 or 443 is held by $u, which is no service. Stop it, then try again."; return 1; }
}
