package proxy

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"

	"gatehouse/agentd/llm/socket"
)

// peer is who is at the other end of a connection, as the kernel says.
type peer struct {
	local bool // over the unix socket
	uid   int  // of a local one; -1 when the kernel did not say
}

type peerKey struct{}

// markPeer notes who opened a connection, once, before any request on it is read.
func markPeer(ctx context.Context, c net.Conn) context.Context {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return context.WithValue(ctx, peerKey{}, peer{uid: -1})
	}
	return context.WithValue(ctx, peerKey{}, peer{true, socket.PeerUID(u)})
}

// admit refuses whoever may not call: another user on the socket, a browser, a name that is not this machine's, a wrong
// token.
func (p *Proxy) admit(r *http.Request) *fault {
	from, _ := r.Context().Value(peerKey{}).(peer)
	switch {
	case from.local && from.uid != uid() && from.uid != p.opt.Agentd && !slices.Contains(p.opt.Callers, from.uid):
		return &fault{http.StatusForbidden, "user_not_allowed", "This user may not use the model proxy."}
	case r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "":
		return &fault{http.StatusForbidden, "browser", "The model proxy does not answer browsers."}
	case !ours(r.Host):
		return &fault{http.StatusForbidden, "host", "The model proxy answers to this machine's own names alone."}
	case !p.known(token(r)):
		return &fault{http.StatusUnauthorized, "invalid_api_key", "The model proxy's token is missing or wrong."}
	}
	return nil
}

// ours says whether a Host header names this machine: a page that had its own name resolve to the loopback does not.
func ours(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// token is what a caller shows, in the header of either protocol.
func token(r *http.Request) string {
	if kind, t, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "Bearer") {
		return t
	}
	return r.Header.Get("X-Api-Key")
}

func (p *Proxy) known(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], p.token[:]) == 1
}

// onlyAgentd lets agentd alone through: over the unix socket, as its own user.
func (p *Proxy) onlyAgentd(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if from, _ := r.Context().Value(peerKey{}).(peer); !from.local || from.uid != p.opt.Agentd {
			fault{http.StatusForbidden, "user_not_allowed", "Only agentd may ask for this, over the proxy's socket."}.write(w, r)
			return
		}
		next(w, r)
	}
}
