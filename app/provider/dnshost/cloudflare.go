package dnshost

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/libdns/cloudflare"
	"github.com/libdns/libdns"

	"gatehouse/app/dns"
)

// CloudflareName is the provider's name in rows and settings.
const CloudflareName = "cloudflare"

// CloudflareURL is where Cloudflare's API is.
const CloudflareURL = "https://api.cloudflare.com/client/v4"

// Cloudflare is Cloudflare's DNS. It is Provider.
type Cloudflare struct{ lib *cloudflare.Provider }

// NewCloudflare makes a Cloudflare that comes with token to the API at base, CloudflareURL when that is empty.
func NewCloudflare(base, token string) (*Cloudflare, error) {
	at, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("cloudflare: %w", err)
	}
	t := &transport{provider: CloudflareName, next: http.DefaultTransport, meaning: cloudflareMeaning}
	if base == "" {
		at = nil
	}
	return &Cloudflare{lib: &cloudflare.Provider{APIToken: token, HTTPClient: &moved{to: at, next: t}}}, nil
}

// Name is "cloudflare".
func (*Cloudflare) Name() string { return CloudflareName }

// The codes of refusals that have a meaning here, as Cloudflare publishes them.
const (
	codeSame      = 81058 // an identical record is there
	codeHosted    = 81053 // an A, AAAA or CNAME record with that host is there
	codeAlias     = 81054 // a CNAME with that host is there
	codeThere     = 81057 // the record is there
	codeGone      = 81044 // the record is not there
	codeBadHeader = 6003  // a token in no known form
	codeAuth      = 10000 // authentication
	codeToken     = 9109  // a token that is not valid, or not for this zone
	codeTooMany   = 971   // rate limit, besides HTTP 429
)

func cloudflareMeaning(_ int, codes []int) Kind {
	for _, c := range codes {
		switch c {
		case codeSame, codeThere:
			return there
		case codeHosted, codeAlias:
			return InTheWay
		case codeGone:
			return gone
		case codeBadHeader, codeAuth, codeToken:
			return Access
		case codeTooMany:
			return Busy
		}
	}
	return ""
}

// Refusals that say that what was asked for is so already; they do not leave the package.
const (
	there Kind = "there"
	gone  Kind = "gone"
)

func is(err error, k Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}

// Under lists the records of host and of all names below it.
func (c *Cloudflare) Under(ctx context.Context, zone, host string) ([]dns.Record, error) {
	got, err := c.lib.GetRecords(context.WithValue(ctx, below{}, host), zone)
	if err != nil {
		return nil, c.error(zone, err)
	}
	var all []dns.Record
	for _, g := range got {
		rr := g.RR()
		r := dns.Record{
			Name: strings.ToLower(libdns.AbsoluteName(rr.Name, zone)), Type: rr.Type, Value: strings.TrimSuffix(rr.Data, "."),
			TTL: int(rr.TTL.Seconds()),
		}
		if slices.Contains([]string{dns.A, dns.AAAA, dns.CNAME}, r.Type) && dns.Below(r.Name, host) {
			all = append(all, r)
		}
	}
	return all, nil
}

// Add adds a record.
func (c *Cloudflare) Add(ctx context.Context, zone string, r dns.Record) error {
	_, err := c.lib.AppendRecords(ctx, zone, []libdns.Record{rrOf(zone, r)})
	if is(err, there) {
		return nil
	}
	return c.error(zone, err)
}

// Remove takes a record away.
func (c *Cloudflare) Remove(ctx context.Context, zone string, r dns.Record) error {
	_, err := c.lib.DeleteRecords(ctx, zone, []libdns.Record{rrOf(zone, r)})
	if is(err, gone) {
		return nil
	}
	return c.error(zone, err)
}

func rrOf(zone string, r dns.Record) libdns.RR {
	return libdns.RR{Name: libdns.RelativeName(r.Name, zone), Type: r.Type, Data: r.Value, TTL: time.Duration(r.TTL) * time.Second}
}

// error makes what the library says itself an *Error: that a token sees no such zone, or that an answer cannot be read.
func (c *Cloudflare) error(zone string, err error) error {
	var e *Error
	switch {
	case err == nil, errors.As(err, &e), errors.Is(err, context.Canceled):
		return err
	case strings.Contains(err.Error(), "expected 1 zone"):
		return &Error{Kind: Zone, Provider: CloudflareName, Detail: zone, Err: err}
	}
	return &Error{Kind: Away, Provider: CloudflareName, Detail: "unreadable answer", Err: err}
}

// below is the key under which a context says which names a list is about.
type below struct{}

// moved takes the library's calls to another address when one is set, and narrows its list of records: the library can only ask for
// a whole zone, which holds the records of all customers.
type moved struct {
	to   *url.URL
	next http.RoundTripper
}

// Do is cloudflare.HTTPClient.
func (m *moved) Do(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if host, ok := req.Context().Value(below{}).(string); ok && strings.HasSuffix(req.URL.Path, "/dns_records") {
		q := req.URL.Query()
		q.Set("name.endswith", host)
		req.URL.RawQuery = q.Encode()
	}
	if m.to != nil {
		rest := strings.TrimPrefix(req.URL.Path, "/client/v4")
		req.URL.Scheme, req.URL.Host, req.Host = m.to.Scheme, m.to.Host, m.to.Host
		req.URL.Path = path.Join("/", m.to.Path, rest)
	}
	return m.next.RoundTrip(req)
}
