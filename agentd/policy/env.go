package policy

import "strings"

// Env is the world that a call is judged in. It is data: nothing here is looked up.
type Env struct {
	Root   string   // data root, absolute; empty: /opt/gatehouse
	State  string   // agentd's state directory, absolute; empty: /var/lib/agentd
	Inside []string // verified addresses of the customer's own users
	Cwd    string   // folder that relative shell words start from, absolute; empty: Root

	Feeds []string // names under which a shell command reads what another one printed: <(command)

	Tools []Registered // business tools that are registered, with where they are reached
	Hosts []string     // further hosts that the owner named, in lower case: they may be read from
	// ByName judges without a registry: a host that bears the name of a tool of the shipped table, such as
	// ghost.example.com, counts as that tool's. For looking only; what calls tools must give the registry.
	ByName bool
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
