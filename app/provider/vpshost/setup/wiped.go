package setup

import (
	"context"

	"gatehouse/app/provider/target"
)

// lookWiped prints the server that a machine has wiped itself of, and then what of a customer is still there. It changes nothing.
// Below root stand the machine's files. The owner's UID is known to nobody any more: what belongs to no user there is was theirs. Where
// an engine does not answer, its containers are not gone.
const lookWiped = `set -u
cat "$root"/etc/gatehouse/wiped 2>/dev/null || exit 0
for f in /etc/gatehouse/wipe.under-way /opt/gatehouse /var/lib/agentd /var/lib/agentd-llm-proxy /var/lib/agentd-certificate \
	/var/lib/gatehouse /etc/agentd /home/gatehouse /var/mail/gatehouse /var/lib/systemd/linger/gatehouse; do
	[ ! -e "$root$f" ] || echo "$f"
done
for d in /tmp /var/tmp /dev/shm /run/lock /var/mail /var/spool/cron; do
	[ ! -d "$root$d" ] || find -H "$root$d" -ignore_readdir_race -uid +999 -uid -60000 -nouser -print || echo "not looked through: $d"
done
for p in "$root"/proc/[0-9]*; do
	uid=$(stat -c %u "$p" 2>/dev/null) || continue
	[ "$uid" -lt 1000 ] || [ "$uid" -ge 60000 ] || [ "$(stat -c %U "$p" 2>/dev/null)" != UNKNOWN ] || echo "process ${p##*/}"
done
for u in agentd agentd-llm-proxy agentd-containers; do
	! systemctl is-active --quiet "$u" || echo "$u"
done
docker ps --all --format 'container {{.Names}}' || echo 'containers, which could not be listed'
docker volume ls --format 'volume {{.Name}}' || echo 'volumes, which could not be listed'
docker image ls --format 'image {{.Repository}}' || echo 'images, which could not be listed'
true
`

// Wiped looks whether a machine has wiped itself of a server, and what is left of it all the same.
func (r *Runner) Wiped(ctx context.Context, at target.Machine, serverID string) (left []string, done bool, err error) {
	at.Login, at.Ports = "root", []int{securedPort}
	conn, err := target.Dial(ctx, at, r.Key)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = conn.Close() }() // nothing was written
	lines, err := conn.Output(ctx, lookWiped, map[string]string{"root": ""})
	if err != nil || len(lines) == 0 || lines[0] != serverID {
		return nil, false, err
	}
	return lines[1:], true, nil
}
