package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// mark is an address of this machine where nobody listens, and which the shipped firewall rules (agentd/units) refuse
// to agentd and the proxy with an answer of its own: only root can list rules, but everybody can feel them.
const mark = "127.71.72.73:9"

// markTime is how long the answer may take. It comes at once, or a second later when the kernel was busy.
const markTime = 15 * time.Second

// firewall tries whether the shipped rules hold for this user.
func firewall(ctx context.Context, in Input) Finding {
	f := Finding{Name: "firewall", State: Warn}
	if uid, _, err := owner(in.State); err != nil || uid != os.Geteuid() {
		f.Text, f.Mend = errOther.Error(), "Run agentd doctor as agentd's user."
		return f
	}
	d := net.Dialer{Timeout: markTime}
	c, err := d.DialContext(ctx, "tcp", mark)
	if err == nil {
		_ = c.Close() // somebody listens on every address of this machine
	}
	if errors.Is(err, syscall.EHOSTUNREACH) {
		f.State, f.Text = OK, fmt.Sprintf("the kernel keeps user %d from the cloud's metadata, and from where the model proxy goes", os.Geteuid())
		return f
	}
	f.Text = fmt.Sprintf("the shipped rules do not hold for user %d: it may open connections to everywhere", os.Geteuid())
	f.Mend = "As root, with nftables installed, and agentd running as the user agentd: agentd units --write /etc/systemd/system, then systemctl enable --now agentd-firewall.service."
	return f
}
