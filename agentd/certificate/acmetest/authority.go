package acmetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
)

// Authority is a certificate authority that ends with its test.
type Authority struct {
	Directory string // URL of its ACME directory
	Trust     []byte // who vouches for the directory's own certificate, PEM

	store *db.MemoryStore
	mu    sync.Mutex
	names map[string]netip.Addr
}

// Options say where an authority listens and looks.
type Options struct {
	Host string        // IP address where it listens; empty: 127.0.0.1
	Port int           // of the web servers that it looks at
	Life time.Duration // of certificates; 0: 90 days
}

// quiet keeps Pebble from waiting some seconds before it looks, as authorities on the Internet may.
var quiet = sync.OnceValue(func() error { return os.Setenv("PEBBLE_VA_NOSLEEP", "1") })

// New starts one. Names lead nowhere until Lead says where.
func New(t testing.TB, o Options) *Authority {
	t.Helper()
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	must(t, quiet())
	a := &Authority{names: map[string]netip.Addr{}, store: db.NewMemoryStore()}
	out := log.New(io.Discard, "", 0)
	lasts := map[string]ca.Profile{"default": {Description: "of tests", ValidityPeriod: uint64(o.Life.Seconds())}}
	front := wfe.New(out, a.store, va.New(out, o.Port, 0, true, a.resolver(t), a.store),
		ca.New(out, a.store, "", "ecdsa", 0, 1, lasts), []string{"pebble.letsencrypt.org"}, true, false, 0, 0)
	own, trust := ownCertificate(t, o.Host)
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(o.Host, "0"))
	must(t, err)
	srv := &httptest.Server{
		Listener: ln, Config: &http.Server{Handler: front.Handler()}, TLS: &tls.Config{Certificates: []tls.Certificate{own}},
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	a.Directory, a.Trust = srv.URL+wfe.DirectoryPath, trust
	return a
}

// Lead says where a name leads.
func (a *Authority) Lead(name string, to netip.Addr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.names[dns.Fqdn(name)] = to
}

// Refuse has the authority give no certificates for a name.
func (a *Authority) Refuse(t testing.TB, name string) {
	t.Helper()
	must(t, a.store.AddBlockedDomain(name))
}

// resolver starts the name server that the authority asks.
func (a *Authority) resolver(t testing.TB) string {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	srv := &dns.Server{Listener: ln, Handler: dns.HandlerFunc(a.answer)}
	go func() { _ = srv.ActivateAndServe() }() // ends with the test
	t.Cleanup(func() { _ = ln.Close() })
	return ln.Addr().String()
}

func (a *Authority) answer(w dns.ResponseWriter, r *dns.Msg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := new(dns.Msg)
	m.SetReply(r)
	to, known := a.names[r.Question[0].Name]
	if !known {
		m.Rcode = dns.RcodeNameError
	} else if r.Question[0].Qtype == dns.TypeA {
		m.Answer = []dns.RR{&dns.A{
			Hdr: dns.RR_Header{Name: r.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: to.AsSlice(),
		}}
	}
	_ = w.WriteMsg(m) // who has gone asks again
}

// ownCertificate is one for an IP address that vouches for itself.
func ownCertificate(t testing.TB, host string) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"}, IPAddresses: []net.IP{net.ParseIP(host)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), BasicConstraintsValid: true, IsCA: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
