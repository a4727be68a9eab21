package policy_test

import (
	"testing"

	"gatehouse/agentd/policy"
)

// TestShell_unpacks: what is packed is judged by its own name, and what has none is not printed unasked.
func TestShell_unpacks(t *testing.T) {
	t.Parallel()
	for command, least := range map[string]policy.Tier{
		"unzip -p b.zip": policy.Red, "unzip -p b.zip '*'": policy.Red, "unzip -p b.zip 'conf/*'": policy.Red, "unzip -p b.zip 'conf/[.]env'": policy.Red, "unzip -p b.zip '?env'": policy.Red, `unzip -p b.zip '\.env'`: policy.Red, "unzip -p '*.zip' a.txt": policy.Red, "unzip -p b.zip a.txt '*'": policy.Red, "unzip -c b.zip": policy.Red,
		"unzip -p b.zip conf/.env": policy.Red, "nice unzip -p b.zip": policy.Red, "find . -name '*.zip' -exec unzip -p {} \\;": policy.Red, "ls | xargs -n1 unzip -p": policy.Red,
		"tar xOf a.tar": policy.Red, "tar -xOf a.tar": policy.Red, "tar xzOf a.tgz": policy.Red, "tar xOf a.tar '*'": policy.Red, "tar xOf a.tar --wildcards '*env'": policy.Red, "tar xO": policy.Red, "cat a.tgz | tar xzO": policy.Red, "tar xOf a.tar .env": policy.Red, "cat a.tar | tar xOf - conf": policy.Red, "tar xOf - conf < a.tar": policy.Red, "cat a.tar | tar xO a conf": policy.Red, "tar xOf <(cat a.tar) conf": policy.Red, "cat a.tar | tar -xO -f - conf": policy.Red, "tar xOf": policy.Red,
		"zcat server.key.gz": policy.Forbidden, "zcat b.env.gz": policy.Forbidden, "zcat conf/id_rsa.gz": policy.Forbidden, "gzip -dc server.key.gz": policy.Forbidden, "gunzip -c server.key.gz": policy.Forbidden, "gzip -vdc server.key.gz": policy.Forbidden, "zgrep x server.key.gz": policy.Forbidden,
		"zless server.key.gz": policy.Forbidden, "bzcat server.key.bz2": policy.Forbidden, "bzip2 -dc server.key.bz2": policy.Forbidden, "xzcat server.key.xz": policy.Forbidden, "xz -dc server.key.xz": policy.Forbidden, "zstdcat server.key.zst": policy.Forbidden, "zstd -dc server.key.zst": policy.Forbidden, "zcat server.key.gz.GZ": policy.Forbidden,
		"zcat *.key.gz": policy.Forbidden, "nice zcat server.key.gz": policy.Forbidden, "find . -exec zcat server.key.gz \\;": policy.Forbidden,
		"cat b.gz | zcat": policy.Red, "zcat < b.gz": policy.Red, "cat b.gz | gzip -dc": policy.Red, "gzip -dc -": policy.Red, "cat b.gz | gunzip -c": policy.Red, "cat b.gz | gzip --decompress -c": policy.Red, "cat b.xz | xz -dc": policy.Red, "cat b.bz2 | bzcat": policy.Red, "base64 -d b | gunzip": policy.Red, "cat b | gzip -vdc": policy.Red,
	} {
		if c := policy.Shell(command, env); c.Tier.Rank() < least.Rank() {
			t.Errorf("%q is %s (%s), must be at least %s", command, c.Tier, c.Why, least)
		}
	}
	for _, command := range []string{
		"unzip -l b.zip", "unzip -Z1 b.zip", "unzip -t b.zip", "unzip -p site.zip readme.txt", "unzip -p report.docx word/document.xml", "tar tf a.tar", "tar xOf a.tar etc/app.conf", "tar -xzOf a.tgz etc/app.conf etc/hosts",
		"zcat access.log.gz", "zcat -f app.log.gz", "zgrep x access.log.gz", "cat access.log | zgrep x", "gzip -dc a.gz", "gunzip -c a.gz", "gzip -l a.gz", "bzcat a.bz2", "xzcat a.xz", "zcat logs/*.gz", "find logs -name '*.gz' -exec zcat {} +", "cat a.txt | gzip -c | wc -c", "zstdcat a.zst",
	} {
		if c := policy.Shell(command, env); c.Tier != policy.Green {
			t.Errorf("%q is %s: %s", command, c.Tier, c.Why)
		}
	}
}
