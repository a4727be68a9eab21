package local

import (
	"fmt"
	"os"
	"strconv"
)

// part is one of the processes of a server.
type part struct {
	sub   string // subcommand of the binary
	title string // what the process is called, before the server's id
	log   string // file for what it writes
}

var (
	agent = part{"run", "agentd-", logFile}
	// proxy is the one that reaches model providers and holds their key. As root it has a user of its own.
	proxy = part{"llm-proxy", "llm-proxy-", "llm-proxy.log"}
)

// nameOf is what a process of a server is called in the list of processes.
func (p part) nameOf(serverID string) string { return p.title + serverID }

// process is the last one of a part that was started.
func (r *record) process(p part) *process {
	if p == proxy {
		return &r.Proxy
	}
	return &r.Process
}

// parts are what a server needs here, in the order in which they start: the proxy only where there is a model to reach.
func (h *Host) parts() []part {
	if h.opt.Model.BaseURL == "" {
		return []part{agent}
	}
	return []part{proxy, agent}
}

// userOf is whom a part runs as; nil when that is the hub's own user.
func (h *Host) userOf(r record, p part) *account {
	switch {
	case h.account == nil:
		return nil
	case p == proxy:
		return proxyAccountOf(h.opt.Dir, r.Slot)
	}
	return h.account(r.Slot)
}

// common is what every process gets from the hub's own environment: nothing of it.
var common = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "TZ=UTC"}

// proxyEnviron is everything that the model proxy gets from the hub. Its key is a file.
func (h *Host) proxyEnviron(r record) []string {
	uid := os.Geteuid()
	if a := h.userOf(r, agent); a != nil {
		uid = a.uid
	}
	return append(common[:len(common):len(common)],
		"AGENTD_PROXY_STATE="+h.path(r.ServerID, proxyDir), "AGENTD_PROXY_SOCKET="+h.socket(r), "AGENTD_PROXY_AGENTD="+strconv.Itoa(uid),
		"MODEL_BASE_URL="+h.opt.Model.BaseURL, "MODEL_NAME="+h.opt.Model.Name,
		"MODEL_EMBEDDINGS="+h.opt.Model.Vectors,
	)
}

func (h *Host) socket(r record) string { return h.path(r.ServerID, runDir, "proxy.sock") }

// prepare makes what a part needs before it starts.
func (h *Host) prepare(r record, p part) error {
	if p != proxy {
		return nil
	}
	if err := h.proxyFolders(r); err != nil {
		return fmt.Errorf("prepare the model proxy: %w", err)
	}
	if err := h.writeModelKey(r); err != nil {
		return fmt.Errorf("prepare the model proxy: %w", err)
	}
	return nil
}
