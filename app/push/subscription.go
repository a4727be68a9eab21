package push

import (
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"gatehouse/app/fault"
)

// Subscription is where a browser takes messages, and the keys that only it opens them with. It stands in no log.
type Subscription struct {
	Endpoint string // address at the browser's push service
	P256dh   string // public key of the browser, base64url
	Auth     string // secret shared with the browser, base64url
}

// Limits of a subscription.
const (
	maxEndpoint = 1024 // bytes; those of the services in use have up to 600
	maxSent     = 4096 // bytes of what a browser sends
	authBytes   = 16
)

// errSubscription is what a person reads when their browser sent something that is no subscription.
var errSubscription = fault.New(fault.Invalid, "push-subscription", "what a browser sent is no push subscription",
	"This browser sent an address for notifications that we cannot use. Nothing was changed; reload the page and try again.")

// ParseSubscription reads what a browser says about its subscription. The address must be one on the public Internet;
// with local, programs on this machine are taken too, as in tests.
func ParseSubscription(sent string, local bool) (Subscription, error) {
	var raw struct {
		Endpoint string `json:"endpoint"`
		Keys     struct {
			P256dh string `json:"p256dh"`
			Auth   string `json:"auth"`
		} `json:"keys"`
	}
	if len(sent) > maxSent || json.Unmarshal([]byte(sent), &raw) != nil {
		return Subscription{}, errSubscription
	}
	s := Subscription{Endpoint: raw.Endpoint, P256dh: raw.Keys.P256dh, Auth: raw.Keys.Auth}
	if !isService(s.Endpoint, local) || !isPoint(s.P256dh) || !isSecret(s.Auth) {
		return Subscription{}, errSubscription
	}
	return s, nil
}

// isService reports whether an address may be one of a push service: https at its usual port, by a name with a dot, and
// nothing that hides another host. Where the name leads is checked when a message is sent.
func isService(address string, local bool) bool {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxEndpoint {
		return false
	}
	if u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if local && isLoopback(host) {
		return u.Scheme == "http" || u.Scheme == "https"
	}
	_, noName := netip.ParseAddr(host)
	public := strings.Contains(host, ".") && !strings.HasSuffix(host, ".") && !strings.HasSuffix(host, ".localhost")
	return u.Scheme == "https" && (u.Port() == "" || u.Port() == "443") && noName != nil && public
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// isPoint reports whether a text is a point of P-256, uncompressed.
func isPoint(s string) bool {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		return false
	}
	_, err = ecdh.P256().NewPublicKey(b)
	return err == nil
}

func isSecret(s string) bool {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil && len(b) == authBytes
}

// Print names a subscription without telling it: by this a browser finds itself in the list of devices.
func (s Subscription) Print() [sha256.Size]byte {
	return sha256.Sum256([]byte(s.Endpoint + "\n" + s.P256dh + "\n" + s.Auth))
}

// String says that there is something, and nothing of it.
func (Subscription) String() string { return "[push subscription]" }

// GoString is String.
func (s Subscription) GoString() string { return s.String() }

// LogValue is String.
func (s Subscription) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Format writes String, whatever the verb.
func (s Subscription) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }
