package doctor

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"gatehouse/agentd/llm/socket"
)

// reachTime is how long a look over the network may take.
const reachTime = 2 * time.Second

// models looks at the way to models: whether the proxy is there, and whether it is another user.
func models(ctx context.Context, in Input) Finding {
	f := Finding{Name: "models", State: OK, Text: "no model provider is set: the team rehearses, and nothing is sent anywhere"}
	if in.ModelName == "" {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	c, err := socket.Dial(ctx, in.ProxySocket)
	if err != nil {
		f.State, f.Text = Fail, "the model proxy does not answer at "+in.ProxySocket+": agents wait until it is back"
		f.Mend = "Look at why it does not run: systemctl status agentd-llm-proxy, or agentd's log where agentd runs it itself."
		return f
	}
	defer func() { _ = c.Close() }() // nothing was said
	id := socket.PeerUID(c.(*net.UnixConn))
	uid, _, err := owner(in.State)
	if err != nil {
		f.State, f.Text = Warn, fmt.Sprintf("the model proxy runs as user %d; whether agentd is another is not to be seen from here", id)
		f.Mend = "Run agentd doctor as agentd's user."
		return f
	}
	f.Text = fmt.Sprintf("the model proxy runs as user %d, apart from agentd (%d): agentd cannot read the provider's key", id, uid)
	if id == uid {
		f.State, f.Text = Warn, fmt.Sprintf("the model proxy runs as agentd's own user (%d): a process of its own, but not kept apart by the kernel", id)
		f.Mend = "As root: agentd units --write /etc/systemd/system, then start agentd-llm-proxy.service and agentd.service, which are two users."
	}
	return f
}

// bypass tries whether agentd's user could reach the provider without the proxy. It would have no key, but the words of
// a conversation need none.
func bypass(ctx context.Context, in Input) Finding {
	f := Finding{Name: "bypass", State: OK, Text: "no model provider is set"}
	u, err := url.Parse(in.ModelBaseURL)
	if in.ModelBaseURL == "" || err != nil {
		return f
	}
	port := u.Port()
	if port == "" {
		port = u.Scheme
	}
	host := net.JoinHostPort(u.Hostname(), port)
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		f.Text = "this user does not reach " + host + ": only the model proxy can"
		return f
	}
	_ = c.Close() // that it opened is enough
	f.State = Warn
	f.Text = fmt.Sprintf("user %d can reach %s by itself: nothing here does, but the machine would not stop it", os.Geteuid(), host)
	f.Mend = "Where the shipped firewall rules hold, it is closed once the proxy has been there; before, by naming the provider's addresses: agentd.nft says how."
	return f
}
