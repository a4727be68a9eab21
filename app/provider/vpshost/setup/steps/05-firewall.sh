# Lets in the web (80, 443) and SSH (22022), and for as long as the machine is set up the port on which it was met.
# shellcheck disable=SC2154 # ssh_port: where the hub is connected now
rules() {
	local ssh=22022
	[ "$ssh_port" = 22022 ] || ssh="22022, $ssh_port"
	cat <<NFT
#!/usr/sbin/nft -f
table inet gatehouse
delete table inet gatehouse
table inet gatehouse {
	chain input {
		type filter hook input priority 0; policy drop;
		iif lo accept
		ct state established,related accept
		ct state invalid drop
		meta l4proto { icmp, ipv6-icmp } accept
		tcp dport { 80, 443 } accept
		tcp dport { $ssh } accept
	}
}
NFT
}

unit() {
	cat <<'UNIT'
[Unit]
Description=Gatehouse firewall of this machine
After=nftables.service
PartOf=nftables.service
Before=network-pre.target
Wants=network-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f /etc/gatehouse/firewall.nft
ExecReload=/usr/sbin/nft -f /etc/gatehouse/firewall.nft

[Install]
WantedBy=multi-user.target
UNIT
}

check() {
	rules | same /etc/gatehouse/firewall.nft && unit | same /etc/systemd/system/gatehouse-firewall.service &&
		active gatehouse-firewall && nft list chain inet gatehouse input | grep 'policy drop' >/dev/null
}

do_it() {
	rules | put /etc/gatehouse/firewall.nft 0644
	unit | put /etc/systemd/system/gatehouse-firewall.service 0644
	systemctl daemon-reload
	systemctl enable --quiet gatehouse-firewall
	systemctl restart gatehouse-firewall
}
