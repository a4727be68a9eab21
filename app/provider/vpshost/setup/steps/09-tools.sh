# The business's files, a network for its tools, and under the server's name the first application, with a certificate of its own.
# shellcheck disable=SC2154 # agentd_sum; name and authority may be empty: nothing is shown under a name, or without a certificate
pem=/var/lib/agentd-certificate/server.pem
run=/var/lib/gatehouse/start

image() { printf 'gatehouse/start:%s' "$(printf '%s' "$agentd_sum" | cut -c -12)"; }
command_line() { say "startpage --socket /run/page/page.sock --name $name"; }

env_file() {
	say "AGENTD_NAME=$name"
	say "AGENTD_ACME_DIRECTORY=$authority"
}

locations() {
	say "	location / { proxy_pass http://unix:$run/page.sock; proxy_set_header Host \$host; }"
}

site() {
	say '# The server under its own name.'
	if [ -z "$authority" ]; then
		printf 'server {\n\tlisten 80;\n\tlisten [::]:80;\n\tserver_name %s;\n\tserver_tokens off;\n' "$name"
		locations
		say '}'
		return
	fi
	printf 'server {\n\tlisten 80;\n\tlisten [::]:80;\n\tserver_name %s;\n\tserver_tokens off;\n' "$name"
	say '	location /.well-known/acme-challenge/ { root /var/www/acme; }'
	# shellcheck disable=SC2016 # variables of nginx
	say '	location / { return 301 https://$host$request_uri; }'
	say '}'
	printf 'server {\n\tlisten 443 ssl http2;\n\tlisten [::]:443 ssl http2;\n\tserver_name %s;\n\tserver_tokens off;\n' "$name"
	printf '\tssl_certificate %s;\n\tssl_certificate_key %s;\n\tssl_protocols TLSv1.2 TLSv1.3;\n' "$pem" "$pem"
	say '	add_header Strict-Transport-Security "max-age=31536000" always;'
	locations
	say '}'
}

started() {
	[ "$(docker inspect --format '{{.Config.Image}} {{.State.Running}} {{.HostConfig.NetworkMode}} {{join .Args " "}}' start 2>/dev/null)" = \
		"$(image) true none $(command_line)" ]
}

certified() {
	[ -z "$authority" ] && return 0
	env_file | same /etc/gatehouse/certificate.env && openssl x509 -in "$pem" -noout -checkend 0 >/dev/null &&
		openssl x509 -in "$pem" -noout -checkhost "$name" | grep 'does match' >/dev/null && active agentd-certificate.timer
}

# shown: whether the web server hands the page out. Who vouches for the certificate is not asked: its own check looked at it.
shown() {
	local url="http://$name/"
	[ -z "$authority" ] || url="https://$name/"
	curl -fsS --insecure --noproxy '*' --max-time 5 --resolve "$name:80:127.0.0.1" --resolve "$name:443:127.0.0.1" "$url" |
		grep "<h1>$name</h1>" >/dev/null
}

check() {
	[ -d /opt/gatehouse ] || return 1
	docker network inspect gatehouse >/dev/null 2>&1 || return 1
	[ -n "$name" ] || return 0
	started && certified && site | fitting | same /etc/nginx/sites-available/gatehouse-name && shown
}

# The image is the one program, on nothing.
start() {
	if ! docker image inspect "$(image)" >/dev/null 2>&1; then
		tar --create --directory /usr/local/bin agentd | docker import --change 'ENTRYPOINT ["/agentd"]' --change 'USER 65532:65532' - "$(image)" >/dev/null
	fi
	install -d -m 0755 -o 65532 -g 65532 "$run"
	docker rm --force start >/dev/null 2>&1 || true
	# shellcheck disable=SC2046 # words
	docker run --detach --name start --restart unless-stopped --network none --read-only --cap-drop ALL --pids-limit 64 --memory 128m \
		--mount "type=bind,source=$run,target=/run/page" "$(image)" $(command_line) >/dev/null
	docker image prune --force >/dev/null
}

certificate() {
	env_file | put /etc/gatehouse/certificate.env 0644
	/usr/local/bin/agentd units --write /etc/systemd/system
	install -D -m 0644 /etc/systemd/system/agentd.sysusers.conf /etc/sysusers.d/agentd.conf
	systemd-sysusers /etc/sysusers.d/agentd.conf
	install -d -m 0755 /var/www/acme /var/www/acme/.well-known
	install -d -m 0755 -o agentd-certificate -g agentd-certificate /var/www/acme/.well-known/acme-challenge
	systemctl daemon-reload
	if ! systemctl start agentd-certificate.service; then
		journalctl --output=cat --no-pager --lines=5 _SYSTEMD_UNIT=agentd-certificate.service
		return 1
	fi
	systemctl enable --quiet --now agentd-certificate.timer
}

do_it() {
	mkdir -p /opt/gatehouse
	docker network inspect gatehouse >/dev/null 2>&1 || docker network create --internal gatehouse >/dev/null
	[ -n "$name" ] || return 0
	started || start
	if [ -n "$authority" ]; then certificate; else rm -f /etc/gatehouse/certificate.env; fi
	site | fitting | put /etc/nginx/sites-available/gatehouse-name 0644
	ln -sf ../sites-available/gatehouse-name /etc/nginx/sites-enabled/gatehouse-name
	nginx -t -q
	systemctl reload nginx
}
