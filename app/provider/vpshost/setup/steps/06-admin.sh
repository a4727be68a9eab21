# The owner's own way in: a user with the key that came with the order, and no password. Without a key nobody signs in.
# shellcheck disable=SC2154 # admin_key: may be empty
check() {
	id -u gatehouse >/dev/null 2>&1 && [ "$(passwd -S gatehouse | cut -d' ' -f2)" = L ] &&
		printf '%s\n' "$admin_key" | same /home/gatehouse/.ssh/authorized_keys &&
		[ "$(stat -c %U:%a /home/gatehouse/.ssh/authorized_keys)" = gatehouse:600 ]
}

do_it() {
	id -u gatehouse >/dev/null 2>&1 || useradd --create-home --shell /bin/bash gatehouse
	passwd --lock --quiet gatehouse
	install -d -m 0700 -o gatehouse -g gatehouse /home/gatehouse/.ssh
	printf '%s\n' "$admin_key" | put /home/gatehouse/.ssh/authorized_keys 0600
	chown gatehouse:gatehouse /home/gatehouse/.ssh/authorized_keys
}
