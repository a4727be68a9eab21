package policy

import "strings"

// Env is the world that a call is judged in. It is data: nothing here is looked up.
type Env struct {
	Root   string   // data root, absolute; empty: /opt/gatehouse
	State  string   // agentd's state directory, absolute; empty: /var/lib/agentd
	Inside []string // verified addresses of the customer's own users
	Cwd    string   // folder that relative shell words start from, absolute; empty: Root
}

const (
	defaultRoot  = "/opt/gatehouse"
	defaultState = "/var/lib/agentd"
)

func (e Env) root() string {
	if e.Root == "" {
		return defaultRoot
	}
	return trimSlash(e.Root)
}

func (e Env) cwd() string {
	if e.Cwd == "" {
		return e.root()
	}
	return e.Cwd
}

func (e Env) state() string {
	if e.State == "" {
		return defaultState
	}
	return trimSlash(e.State)
}

func trimSlash(p string) string {
	if p == "/" {
		return p
	}
	return strings.TrimRight(p, "/")
}
