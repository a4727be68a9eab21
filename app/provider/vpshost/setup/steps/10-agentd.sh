# The team's daemon, its model proxy and the filter before Docker, as services of their own users. The program was uploaded before.
# shellcheck disable=SC2154 # hub, agentd_sum, server, commands; smtp, mail_from, model_url, model_name, model_vectors, model_key, token, seed may be empty
env_file() {
	say "AGENTD_HUB=$hub"
	say "AGENTD_TOKEN_FILE=/var/lib/agentd/register.token"
	[ -z "$smtp" ] || say "AGENTD_SMTP_ADDR=$smtp"
	[ -z "$mail_from" ] || say "AGENTD_MAIL_FROM=$mail_from"
}

model_file() {
	[ -z "$model_url" ] || say "MODEL_BASE_URL=$model_url"
	[ -z "$model_name" ] || say "MODEL_NAME=$model_name"
	[ -z "$model_vectors" ] || say "MODEL_EMBEDDINGS=$model_vectors"
}

# What the helper goes by that wipes this machine at the end: agentd cannot change it.
wipe_file() {
	say "AGENTD_WIPE_SERVER=$server"
	say "AGENTD_WIPE_KEY=$commands"
}

# The check holds only where nothing is to be handed over any more.
check() {
	echo "$agentd_sum  /usr/local/bin/agentd" | sha256sum --check --quiet --status && env_file | same /etc/agentd/agentd.env && model_file | same /etc/agentd/model.env &&
		wipe_file | same /etc/gatehouse/wipe.env && [ ! -e /etc/gatehouse/wiped ] && [ ! -e /etc/gatehouse/wipe.under-way ] && active agentd-wipe.path &&
		printf '%s' "$model_key" | same /etc/agentd/model.key && [ -z "$token" ] && active agentd agentd-containers
}

# secret FILE: one that is made here and known nowhere else
secret() { [ -s "$1" ] || openssl rand 32 | base64 -w 0 | tr '+/' '-_' | tr -d '=' | put "$1" 0600; }

do_it() {
	mkdir -p /etc/agentd
	chmod 0700 /etc/agentd
	/usr/local/bin/agentd units --write /etc/systemd/system
	install -D -m 0644 /etc/systemd/system/agentd.sysusers.conf /etc/sysusers.d/agentd.conf
	systemd-sysusers /etc/sysusers.d/agentd.conf
	install -d -m 0700 -o agentd -g agentd /var/lib/agentd
	install -d -m 0750 -o agentd -g agentd /opt/gatehouse
	secret /etc/agentd/vault.key
	secret /etc/agentd/proxy.token
	printf '%s' "$model_key" | put /etc/agentd/model.key 0600
	env_file | put /etc/agentd/agentd.env 0600
	wipe_file | put /etc/gatehouse/wipe.env 0600
	rm -f /etc/gatehouse/wiped /etc/gatehouse/wipe.under-way
	model_file | put /etc/agentd/model.env 0600
	if [ -n "$token" ]; then
		printf '%s' "$token" | put /var/lib/agentd/register.token 0600
		chown agentd:agentd /var/lib/agentd/register.token
	fi
	# Only before the very first start: afterwards a key is added by a key alone.
	if [ -n "$seed" ] && [ ! -e /var/lib/agentd/agentd.db ]; then
		printf '%s' "$seed" | put /var/lib/agentd/approver.seed 0600
		chown agentd:agentd /var/lib/agentd/approver.seed
	fi
	systemctl daemon-reload
	systemctl enable --quiet agentd-firewall agentd-containers agentd agentd-wipe.path
	systemctl restart agentd-firewall || say 'The firewall rules of agentd did not load.'
	# Without a model there is nothing for the proxy to reach.
	if [ -n "$model_url" ]; then
		systemctl enable --quiet agentd-llm-proxy
		systemctl restart agentd-llm-proxy
	fi
	systemctl restart agentd-containers agentd-wipe.path
	systemctl restart agentd
}
