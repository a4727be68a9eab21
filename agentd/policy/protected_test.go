package policy_test

import (
	"testing"

	"gatehouse/agentd/policy"
)

// TestProtected_keptCopies: a kept copy of a file that may not be read is not read either, however it is named.
func TestProtected_keptCopies(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		".env~", "#.env#", ".#.env", ".env-old", ".env_old", "env.bak", "env_old", ".env,v", ".env1", ".env.d/x", ".env.swp", "x.pem~", "x.pem.~1~", "server.key.old", "private.pem.txt", "credentials.json~",
		"credentials.json.20240102", "credentials.json-2024-01-02", "credentials (1).json", "credentials-old.json", "Copy of credentials.json", "wp-config.php.bak", "wp-config.bak.php", "wp-config_old.php", "wp-config.php_old",
		".wp-config.php.swp", "old-wp-config.php", ".pgpass~", ".netrc.bak", ".npmrc~", ".git-credentials~", ".htpasswd~", "id_rsa.old", "server.key.dpkg-old", "my.cnf.rpmsave", "credentials.gz", "conf/wp-config.php.bak.gz",
		"model.key.bak", "permissions.yaml~", "WP-CONFIG.PHP.BAK", "shadow.bak.1", "master.key.orig.bak~",
		"auth.json", "my.cnf", "client_secret.json", "client_secret_12.apps.json", "service-account.json", "service-account-prod.json", ".config/gcloud/x.db", "home/.config/gcloud/a/b", ".config/gh/hosts.yml",
		".cargo/credentials.toml", ".terraformrc", "wg0.conf", "LocalSettings.php", "configuration.php", "appsettings.json", "appsettings.Production.json", "local.settings.json", "passwords.txt", "passwords.csv", "prod.tfvars",
	} {
		if policy.Protected(p, env) == "" {
			t.Errorf("%s may be touched", p)
		}
		if c := policy.Shell("rev '"+p+"'", env); c.Tier != policy.Forbidden {
			t.Errorf("rev %s is %s", p, c.Tier)
		}
	}
}

// TestProtected_leavesTheRest: templates, public keys and plain files are not held for copies of secrets.
func TestProtected_leavesTheRest(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		"env.example", "env.sample", "app.env.example", "app.env.sample", "app.env.dist", "server.key.pub", "x.pub", "x.pub.bak", "wp-config-sample.php", "wp-config.php.dist", "env", "env/bin/python", "env.go", "environment",
		"notes.txt", "a.bak", "backup.sql", "backup.tar.gz", "2024", "2024-01-02.log", "report (1).csv", "~", "#", "...", "._.", "old-list.txt", "list.old", "keys.txt", "config.json", "hosts.yml", "gcloud/readme.md",
		"settings.xml", "Makefile~", "app.conf.bak", "nginx.conf", "wgetlist.txt", "password_reset.go", "auth.go", "author.json", "v", "README.md.orig", "secretary.txt", "docker-compose.yml.old",
	} {
		if why := policy.Protected(p, env); why != "" {
			t.Errorf("%s may not be touched: %s", p, why)
		}
	}
}
