package web

import (
	"net"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// extractor says which address a request comes from. X-Forwarded-For is what a client likes to claim, so nothing of it
// is believed without our own proxy in front, and then only the last hop, which that proxy wrote.
func extractor(behindProxy bool) echo.IPExtractor {
	if !behindProxy {
		return peer
	}
	return func(r *http.Request) string {
		hops := strings.Split(strings.Join(r.Header.Values(echo.HeaderXForwardedFor), ","), ",")
		last := strings.TrimSpace(hops[len(hops)-1])
		if ip := net.ParseIP(strings.Trim(last, "[]")); ip != nil {
			return ip.String()
		}
		return peer(r)
	}
}

// peer is the address of the other end of the connection.
func peer(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
