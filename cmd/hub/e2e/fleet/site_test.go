package fleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/certificate/acmetest"
	"gatehouse/app/provider/dnshost"
	"gatehouse/app/provider/dnshost/dnstest"
	"gatehouse/app/provider/target/targettest"
	"gatehouse/cmd/hub/e2e"
)

// zone is where servers have their names in this test.
const zone = "hosted.example.net"

// kept is where a machine keeps its certificate, and chain prints that without the key.
const (
	kept  = "/var/lib/agentd-certificate"
	chain = "sed -n '/BEGIN CERT/,$p' " + kept + "/server.pem"
)

// site is what the name of a server needs: name servers, and an authority that gives certificates.
type site struct {
	*acmetest.Authority
	names *dnstest.Pair
	host  string
}

func newSite(t *testing.T) *site {
	t.Helper()
	pair, err := dnstest.StartPair(t.Context(), t.TempDir())
	must(t, err)
	t.Cleanup(pair.Stop)
	must(t, pair.AddZone(t.Context(), zone))
	must(t, pair.Set(t.Context(), zone, zone, "NS", "ns1."+zone+".")) // the hub writes to the first, and nothing carries it on
	return &site{Authority: acmetest.New(t, acmetest.Options{Port: 80}), names: pair}
}

// settings are those of a hub whose servers are named here.
func (s *site) settings() []string {
	return []string{
		"HUB_DNS=" + dnshost.PowerDNSName, "HUB_DNS_ZONE=" + zone, "HUB_DNS_URL=" + s.names.Servers[0].API, "HUB_DNS_TOKEN=" + dnstest.Key,
		"HUB_DNS_RESOLVER=" + s.names.Resolver(), "HUB_DNS_PORT=" + s.names.Port, "HUB_ACME_DIRECTORY=" + s.Directory,
	}
}

// open lets the machine of the newest order reach the authority, and the authority the machine by its name.
func (s *site) open(t *testing.T, h *e2e.Hub, box *targettest.Machine) {
	t.Helper()
	tunnel(t, box, s.Directory)
	must(t, os.WriteFile(filepath.Join(box.Root, "usr/local/share/ca-certificates/authority.crt"), s.Trust, 0o644))
	box.Do("update-ca-certificates >/dev/null")
	conn := h.Connect(t)
	var slug string
	must(t, conn.QueryRow(t.Context(), "SELECT slug FROM orders ORDER BY id DESC LIMIT 1").Scan(&slug))
	must(t, conn.Close(t.Context()))
	s.host = slug + "." + zone
	s.Lead(s.host, netip.MustParseAddr(box.Address))
}

// examined looks for the report of agentd about the machine on record of the newest order.
func (s *site) examined(t *testing.T, h *e2e.Hub) {
	t.Helper()
	conn := h.Connect(t)
	var report string
	must(t, conn.QueryRow(t.Context(), `SELECT string_agg(text, E'\n' ORDER BY id) FROM order_log WHERE order_id =
		(SELECT id FROM orders ORDER BY id DESC LIMIT 1) AND text ~ '^(ok|warn|fail) |looked at|holds'`).Scan(&report))
	must(t, conn.Close(t.Context()))
	t.Log(report)
	if !strings.Contains(report, "agentd looked at the machine") || !strings.Contains(report, "agentd's files lie outside") {
		t.Errorf("the report of agentd doctor is not on record:\n%s", report)
	}
}

// shown looks at the first application as anybody on the Internet can, and at what of it stands on the machine.
func (s *site) shown(t *testing.T, box *targettest.Machine) {
	t.Helper()
	leaf, rest := pem.Decode([]byte(box.Do(chain) + "\n"))
	if leaf == nil {
		t.Fatal("no certificate")
	}
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(rest)
	client := &http.Client{
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: trust, ServerName: s.host},
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				var d net.Dialer
				return d.DialContext(ctx, network, box.Address+":443")
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	r, err := client.Get("https://" + s.host + "/")
	must(t, err)
	text, err := io.ReadAll(r.Body)
	must(t, err)
	must(t, r.Body.Close())
	if r.StatusCode != http.StatusOK || !strings.Contains(string(text), "<h1>"+s.host+"</h1>") {
		t.Errorf("the first application: %d %s", r.StatusCode, text)
	}
	const container = "docker inspect start --format " +
		"'{{.State.Running}} {{.Config.User}} {{.HostConfig.NetworkMode}} {{.HostConfig.ReadonlyRootfs}}'"
	for _, c := range []struct{ ask, want string }{
		{
			"curl -s --noproxy '*' -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: " + s.host + "' http://127.0.0.1/x",
			"301 https://" + s.host + "/x",
		},
		{container, "true 65532:65532 none true"},
		{"stat -c '%U %a' " + kept + " " + kept + "/server.pem", "agentd-certificate 700\nagentd-certificate 600"},
		{"ls -A /var/www/acme/.well-known/acme-challenge | wc -l", "0"},
		{"systemctl is-active agentd-certificate.timer", "active"},
	} {
		if got, _ := box.Try(c.ask); got != c.want {
			t.Errorf("%s\n\tgot  %q\n\twant %q", c.ask, got, c.want)
		}
	}
	s.renewed(t, box, leaf.Bytes)
}

// renewed has the timer's service run while the certificate is good, and once it is gone.
func (s *site) renewed(t *testing.T, box *targettest.Machine, was []byte) {
	t.Helper()
	now := func() []byte {
		block, _ := pem.Decode([]byte(box.Do("systemctl start agentd-certificate && "+chain) + "\n"))
		if block == nil {
			t.Fatal("no certificate")
		}
		return block.Bytes
	}
	if string(now()) != string(was) {
		t.Error("a certificate that is good was renewed")
	}
	box.Do("rm " + kept + "/server.pem")
	if string(now()) == string(was) {
		t.Error("the certificate was not renewed")
	}
}
