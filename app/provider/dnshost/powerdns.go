package dnshost

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/joeig/go-powerdns/v3"

	"gatehouse/app/dns"
)

// PowerDNSName is the provider's name in rows and settings.
const PowerDNSName = "powerdns"

// PowerDNS is an authoritative PowerDNS server with its HTTP API. It is Provider.
type PowerDNS struct{ lib *powerdns.Client }

// NewPowerDNS makes a PowerDNS whose API is at base, such as http://127.0.0.1:8081, and which is asked with key.
func NewPowerDNS(base, key string) (*PowerDNS, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("powerdns: %q is no http or https address", base)
	}
	t := &transport{provider: PowerDNSName, next: http.DefaultTransport, meaning: powerdnsMeaning}
	return &PowerDNS{lib: powerdns.New(base, "localhost", powerdns.WithAPIKey(key),
		powerdns.WithHTTPClient(&http.Client{Transport: t}))}, nil
}

// Name is "powerdns".
func (*PowerDNS) Name() string { return PowerDNSName }

func powerdnsMeaning(status int, _ []int) Kind {
	if status == http.StatusUnprocessableEntity {
		return Refused
	}
	return ""
}

// Under lists the records of host and of all names below it.
func (p *PowerDNS) Under(ctx context.Context, zone, host string) ([]dns.Record, error) {
	var all []dns.Record
	for _, name := range []string{host, dns.Star(host)} {
		sets, err := p.lib.Records.Get(ctx, zone, name+".", nil)
		if err != nil {
			return nil, p.error(err)
		}
		all = append(all, recordsOf(sets)...)
	}
	return all, nil
}

func recordsOf(sets []powerdns.RRset) (all []dns.Record) {
	for _, s := range sets {
		if s.Name == nil || s.Type == nil || !slices.Contains([]string{dns.A, dns.AAAA, dns.CNAME}, string(*s.Type)) {
			continue
		}
		for _, r := range s.Records {
			if r.Content != nil && (r.Disabled == nil || !*r.Disabled) {
				all = append(all, dns.Record{
					Name: strings.ToLower(strings.TrimSuffix(*s.Name, ".")), Type: string(*s.Type),
					Value: strings.TrimSuffix(*r.Content, "."), TTL: ttlOf(s),
				})
			}
		}
	}
	return all
}

func ttlOf(s powerdns.RRset) int {
	if s.TTL == nil {
		return 0
	}
	return int(*s.TTL)
}

// Add adds a record to its set: PowerDNS only knows whole sets.
func (p *PowerDNS) Add(ctx context.Context, zone string, r dns.Record) error {
	return p.change(ctx, zone, r, func(values []string) []string {
		if slices.Contains(values, r.Value) {
			return values
		}
		return append(values, r.Value)
	})
}

// Remove takes a record out of its set.
func (p *PowerDNS) Remove(ctx context.Context, zone string, r dns.Record) error {
	return p.change(ctx, zone, r, func(values []string) []string {
		return slices.DeleteFunc(values, func(v string) bool { return v == r.Value })
	})
}

func (p *PowerDNS) change(ctx context.Context, zone string, r dns.Record, fn func([]string) []string) error {
	kind := powerdns.RRType(r.Type)
	sets, err := p.lib.Records.Get(ctx, zone, r.Name+".", &kind)
	if err != nil {
		return p.error(err)
	}
	var was []string
	for _, have := range recordsOf(sets) {
		was = append(was, have.Value)
	}
	now := fn(slices.Clone(was))
	switch {
	case slices.Equal(was, now):
		return nil
	case len(now) == 0:
		return p.error(p.lib.Records.Delete(ctx, zone, r.Name, kind))
	}
	return p.error(p.lib.Records.Change(ctx, zone, r.Name, kind, uint32(r.TTL), now))
}

func (p *PowerDNS) error(err error) error {
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e // without the address that was called
	case errors.Is(err, context.Canceled):
		return err
	}
	return &Error{Kind: Away, Provider: PowerDNSName, Detail: "unreadable answer", Err: plain(err)}
}
