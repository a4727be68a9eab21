package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gatehouse/agentd/netguard"
	"gatehouse/agentd/wire"
)

// LocalFile is the file in the state directory in which the operator of the server lists origins on this machine or in its own network
// that results may go to, such as http://127.0.0.1:5678. It is read at each use.
const LocalFile = "webhooks.yaml"

// local reads LocalFile.
func local(dir string) (origins []string, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, LocalFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", LocalFile, err)
	}
	var file struct {
		Local []string `yaml:"local"`
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", LocalFile, err)
	}
	for _, one := range file.Local {
		u, err := url.Parse(one)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || origin(u) != strings.TrimSuffix(one, "/") {
			return nil, fmt.Errorf("%s: %q is no origin, such as http://127.0.0.1:5678", LocalFile, one)
		}
		origins = append(origins, origin(u))
	}
	return origins, nil
}

// origin is an address up to its host and port.
func origin(u *url.URL) string { return u.Scheme + "://" + strings.ToLower(u.Host) }

// shown is an address as people see it: what stands behind the host may be a secret of the receiver's.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u.Path == "" || u.Path == "/" && u.RawQuery == "" {
		return origin(u)
	}
	return origin(u) + "/…"
}

var (
	errAddress = badRequest("This is no address to which results can go: it begins with https:// and names a host, without a " +
		"name or password in it. Nothing was saved.")
	errPrivate = badRequest("This address is on this server or in a private network, where results do not go. Nothing was saved.")
)

// checkAddress says why results cannot go to an address.
func (w *Webhooks) checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil, len(address) > wire.MaxWebhookURL, u.Hostname() == "", u.User != nil, u.Fragment != "", u.Opaque != "":
		return errAddress
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errAddress
	}
	own, err := local(w.d.Dir)
	if err != nil {
		return err
	}
	if slices.Contains(own, origin(u)) {
		return nil
	}
	if u.Scheme != "https" {
		return errAddress
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if a, err := netip.ParseAddr(host); err == nil && !netguard.Public(a) || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return errPrivate
	}
	return nil
}

// dial connects to the host of an address, if it leads where results may go. It is asked anew at each attempt, and what the name led to
// then is what is connected to.
func (w *Webhooks) dial(ctx context.Context, u *url.URL, network, hostport string) (net.Conn, error) {
	addrs, err := w.addresses(ctx, u)
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	var errs []error
	for _, a := range addrs {
		c, err := d.DialContext(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// addresses are those that the host of an address leads to.
func (w *Webhooks) addresses(ctx context.Context, u *url.URL) ([]netip.Addr, error) {
	own, err := local(w.d.Dir)
	if err != nil {
		return nil, err
	}
	listed, host := slices.Contains(own, origin(u)), u.Hostname()
	a, err := netip.ParseAddr(host)
	switch {
	case err == nil && (netguard.Public(a) || listed && !netguard.Never(a)):
		return []netip.Addr{a.Unmap()}, nil
	case err == nil:
		return nil, netguard.ErrAddress
	case host == "localhost" && listed:
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	return w.d.Resolve.Resolve(ctx, host, listed)
}
