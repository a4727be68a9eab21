package setup

import (
	"context"

	"gatehouse/app/provider/target"
)

// lookWiped prints the server that a machine has wiped itself of, and then what of a customer is still there. It changes nothing.
const lookWiped = `set -u
cat /etc/gatehouse/wiped 2>/dev/null || exit 0
[ ! -e /etc/gatehouse/wipe.under-way ] || { echo '/etc/gatehouse/wipe.under-way'; }
for f in /opt/gatehouse /var/lib/agentd /var/lib/agentd-llm-proxy /var/lib/agentd-certificate /var/lib/gatehouse /etc/agentd \
	/home/gatehouse; do
	[ ! -e "$f" ] || echo "$f"
done
for u in agentd agentd-llm-proxy agentd-containers; do
	! systemctl is-active --quiet "$u" || echo "$u"
done
docker ps --all --format 'container {{.Names}}'
docker volume ls --format 'volume {{.Name}}'
docker image ls --format 'image {{.Repository}}'
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
	lines, err := conn.Output(ctx, lookWiped, nil)
	if err != nil || len(lines) == 0 || lines[0] != serverID {
		return nil, false, err
	}
	return lines[1:], true, nil
}
