package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"gatehouse/agentd/vault"
)

// Origin is where requests may go: scheme, host and port.
type Origin struct {
	Scheme string
	Host   string // lower case, without brackets
	Port   int
}

// String is the origin as a URL.
func (o Origin) String() string {
	host := net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
	if o.Port == usual(o.Scheme) {
		host = strings.TrimSuffix(host, ":"+strconv.Itoa(o.Port))
	}
	return o.Scheme + "://" + host
}

func usual(scheme string) int {
	if scheme == "https" {
		return 443
	}
	return 80
}

// OriginOf takes an absolute URL apart. What two readers could read differently is refused.
func OriginOf(raw string) (Origin, *url.URL, error) {
	bad := fmt.Errorf("%.200q is no plain http or https URL", raw)
	if strings.ContainsAny(raw, "\\ \t\r\n@") {
		return Origin{}, nil, bad
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.User != nil || u.Fragment != "" || u.Hostname() == "" {
		return Origin{}, nil, bad
	}
	o := Origin{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))}
	if o.Scheme != "http" && o.Scheme != "https" {
		return Origin{}, nil, bad
	}
	o.Port = usual(o.Scheme)
	if p := u.Port(); p != "" {
		if o.Port, err = strconv.Atoi(p); err != nil || o.Port < 1 || o.Port > 65535 {
			return Origin{}, nil, bad
		}
	}
	return o, u, nil
}

var toolName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// check says what is wrong with an entry, and finds out where it is reached.
func (t *Tool) check() error {
	if !toolName.MatchString(t.Name) {
		return fmt.Errorf("%.80q is no name of a tool", t.Name)
	}
	for _, raw := range []string{t.APIBase, t.InternalURL, t.ExternalURL} {
		if raw == "" {
			continue
		}
		o, _, err := OriginOf(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		if !slices.Contains(t.origins, o) {
			t.origins = append(t.origins, o)
		}
	}
	if len(t.origins) == 0 {
		return fmt.Errorf("%s has no URL", t.Name)
	}
	if err := t.Rotate.check(t); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return t.Auth.check(t.Name)
}

func (c *Change) check(t *Tool) error {
	if c == nil {
		return nil
	}
	filled := strings.NewReplacer("{{old}}", "", "{{new}}", "").Replace(c.Body)
	switch {
	case t.Auth.Ref == "":
		return errors.New("it has no sign-in to change")
	case c.Method != "POST" && c.Method != "PUT" && c.Method != "PATCH":
		return errors.New("a sign-in is changed by POST, PUT or PATCH")
	case !strings.HasPrefix(c.Path, "/") || !strings.HasPrefix(c.Check, "/") || strings.ContainsAny(c.Path+c.Check, "{}\\ \r\n"):
		return errors.New("the paths of a change begin with / and hold no values")
	case !json.Valid([]byte(filled)) || !strings.Contains(c.Body, "{{new}}"):
		return errors.New("the body of a change is JSON with {{new}} in it")
	}
	return nil
}

func (a *Auth) check(tool string) error {
	switch a.Type {
	case "", "none":
		if a.Ref != "" {
			return fmt.Errorf("%s: a secret without a type of sign-in", tool)
		}
		return nil
	case "bearer":
		a.Header, a.Prefix = "Authorization", "Bearer "
	case "basic":
		a.Header, a.Prefix = "Authorization", "Basic "
	case "header":
	default:
		return fmt.Errorf("%s: sign-in is none, bearer, basic or header", tool)
	}
	if !httpguts.ValidHeaderFieldName(a.Header) || !httpguts.ValidHeaderFieldValue(a.Prefix) || strings.ContainsAny(a.User, ":\r\n") {
		return fmt.Errorf("%s: the header of its sign-in is none", tool)
	}
	if err := vault.CheckName(a.Ref); err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	return nil
}

// Has says whether requests to this tool may go there.
func (t Tool) Has(o Origin) bool { return slices.Contains(t.origins, o) }

// Home is where a path alone goes.
func (t Tool) Home() Origin { return t.origins[0] }
