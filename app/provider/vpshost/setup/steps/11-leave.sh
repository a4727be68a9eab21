# What agentd says of the machine goes on record. Then the hub's way in goes: its key first, then root's sign-in. Nothing of the set-up
# stays.
# shellcheck disable=SC2154 # hub_key: the hub's public key
check() {
	! grep -qsF "$hub_key" /root/.ssh/authorized_keys /home/*/.ssh/authorized_keys && sshd -T | grep -x 'permitrootlogin no' >/dev/null
}

# report: what protection the machine gives, by agentd's own user, who runs what the team does
report() {
	set -a
	# shellcheck disable=SC1091 # written by step 10
	. /etc/agentd/model.env
	set +a
	AGENTD_PROXY_SOCKET=/run/agentd-llm-proxy/proxy.sock timeout 60 runuser -u agentd -- \
		/usr/local/bin/agentd doctor --state /var/lib/agentd --data /opt/gatehouse
}

do_it() {
	say 'agentd looked at the machine:'
	report || say 'Not everything holds. The lines above say what to do; the server works.'
	# Goes on to its end when the connection breaks: nobody could come back for the rest.
	trap '' HUP PIPE
	local f
	rm -f gatehouse-upload-* /root/gatehouse-upload-* /var/lib/agentd/register.token
	for f in /root/.ssh/authorized_keys /home/*/.ssh/authorized_keys; do
		[ -f "$f" ] || continue
		grep -vF "$hub_key" "$f" >"$f.new" || true
		chmod --reference="$f" "$f.new"
		chown --reference="$f" "$f.new"
		mv -f "$f.new" "$f"
	done
	sed -i 's/^PermitRootLogin .*/PermitRootLogin no/' /etc/ssh/sshd_config.d/00-gatehouse.conf
	sshd -t
	systemctl reload ssh
}
