package shell

import "testing"

// TestShowsStrangers: what shows a log is known by the program and its words, not by what else stands in the text.
func TestShowsStrangers(t *testing.T) {
	t.Parallel()
	for c, outside := range map[string]bool{
		"docker logs web": true, "docker compose -f a.yml logs --tail 5": true, "sudo kubectl -n shop logs pod/web": true, "tail -5 /var/log/nginx/access.log": true, "grep x < /var/log/syslog": true, "ls /var/log | xargs -n 1 lastb": true,
		"find /var/log -exec cat {} +": true, "find /var/log -name x": false,
		"docker ps --filter name=logs": false, "docker compose -f logs/compose.yml ps": false, "systemctl restart status-page": false,
	} {
		if showsStrangers(c) != outside {
			t.Errorf("%q is from outside: %t", c, !outside)
		}
	}
}
