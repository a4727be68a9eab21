# The web server. Until a tool has a name of its own, it answers every name with a plain page.
page() {
	cat <<'HTML'
<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Ready</title>
<p>This server is ready. There is nothing to see here yet.</p></html>
HTML
}

site() {
	cat <<'CONF'
# Answers every name that no other site answers.
server {
	listen 80 default_server;
	listen [::]:80 default_server;
	server_name _;
	server_tokens off;
	root /var/www/gatehouse;
	location = / { try_files /index.html =404; }
	location /.well-known/acme-challenge/ { root /var/www/acme; }
	location / { return 404; }
}
CONF
}

check() {
	installed nginx-light && site | fitting | same /etc/nginx/sites-available/gatehouse && active nginx &&
		[ ! -e /etc/nginx/sites-enabled/default ] && curl -fsS --noproxy '*' --max-time 5 http://127.0.0.1/ | grep 'This server is ready' >/dev/null
}

do_it() {
	install_packages nginx-light
	mkdir -p /var/www/acme
	page | put /var/www/gatehouse/index.html 0644
	site | fitting | put /etc/nginx/sites-available/gatehouse 0644
	ln -sf ../sites-available/gatehouse /etc/nginx/sites-enabled/gatehouse
	rm -f /etc/nginx/sites-enabled/default
	nginx -t -q
	systemctl enable --quiet nginx
	systemctl restart nginx
}
