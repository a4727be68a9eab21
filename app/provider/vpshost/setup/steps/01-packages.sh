# The tools that the other steps need.
packages='ca-certificates curl nftables iproute2 openssl'

check() {
	# shellcheck disable=SC2086
	installed $packages
}

do_it() {
	# shellcheck disable=SC2086
	install_packages $packages
}
