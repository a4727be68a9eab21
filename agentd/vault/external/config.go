package external

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Config says which external vault there is, and how agentd gets in: by a token, or by AppRole.
type Config struct {
	Address   string // https://host:port; http on the loopback alone; empty: there is none
	Mount     string // of the KV engine
	Namespace string // empty: the root
	CAFile    string // certificates that are trusted, and no others; empty: the system's

	TokenFile    string // file with a token, mode 0600
	RoleID       string // of AppRole
	SecretIDFile string // file with its secret id, mode 0600
	Login        string // mount of AppRole

	Every  time.Duration // between two looks
	MaxAge time.Duration // how long a value is used that the external vault does not vouch for
}

// Check says everything that is wrong with c.
func (c Config) Check() (wrong []error) {
	if c.Address == "" {
		return nil
	}
	bad := func(name, format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s %s", name, fmt.Sprintf(format, args...)))
	}
	if _, err := parseAddress(c.Address); err != nil {
		bad("AGENTD_KV_ADDR", "%v", err)
	}
	if !isMount(c.Mount) {
		bad("AGENTD_KV_MOUNT", "is %q; it must be the path of a KV version 2 engine, such as secret", c.Mount)
	}
	if c.Namespace != "" && !isMount(strings.TrimSuffix(c.Namespace, "/")) {
		bad("AGENTD_KV_NAMESPACE", "is %q; it must be a path", c.Namespace)
	}
	if c.CAFile != "" && !filepath.IsAbs(c.CAFile) {
		bad("AGENTD_KV_CA_FILE", "is %q; it must be an absolute path", c.CAFile)
	}
	if c.Every < time.Second || c.Every > time.Hour {
		bad("AGENTD_KV_EVERY", "is %s; it must be 1s to 1h", c.Every)
	}
	if c.MaxAge < 5*c.Every || c.MaxAge > 30*24*time.Hour {
		bad("AGENTD_KV_MAX_AGE", "is %s; it must be at least five times AGENTD_KV_EVERY, and 720h at most", c.MaxAge)
	}
	return append(wrong, c.checkWayIn()...)
}

// checkWayIn wants one way in, and all of it.
func (c Config) checkWayIn() []error {
	switch {
	case (c.TokenFile == "") == (c.RoleID == "" && c.SecretIDFile == ""):
		return []error{errors.New("AGENTD_KV_ADDR needs AGENTD_KV_TOKEN_FILE, or AGENTD_KV_ROLE_ID with AGENTD_KV_SECRET_ID_FILE, not both")}
	case c.TokenFile != "" && !filepath.IsAbs(c.TokenFile):
		return []error{fmt.Errorf("AGENTD_KV_TOKEN_FILE is %q; it must be an absolute path", c.TokenFile)}
	case c.TokenFile != "":
		return nil
	case c.RoleID == "" || !filepath.IsAbs(c.SecretIDFile):
		return []error{errors.New("AGENTD_KV_ROLE_ID and AGENTD_KV_SECRET_ID_FILE, an absolute path, need each other")}
	case !isMount(c.Login):
		return []error{fmt.Errorf("AGENTD_KV_LOGIN is %q; it must be the path of an AppRole method, such as approle", c.Login)}
	}
	return nil
}

// parseAddress reads an address. Without encryption only this machine is one.
func parseAddress(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return nil, errors.New("must be https://host:port and nothing else") // it may hold what is nobody's business
	case u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()):
		return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
	}
	return nil, fmt.Errorf("is %q; it must be https, as others would read the values", s)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// isMount says whether s is the path of an engine: parts with slashes between.
func isMount(s string) bool {
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part == "." || part == ".." || len(part) > 128 || strings.ContainsFunc(part, func(r rune) bool { return r < '!' || r > '~' || strings.ContainsRune(`?#%\"`, r) }) {
			return false
		}
	}
	return len(s) <= 512 && httpguts.ValidHeaderFieldValue(s)
}

// roots are the certificates that are trusted; nil: the system's.
func (c Config) roots() (*x509.CertPool, error) {
	if c.CAFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("AGENTD_KV_CA_FILE: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("AGENTD_KV_CA_FILE: %s holds no certificate", c.CAFile)
	}
	return pool, nil
}
