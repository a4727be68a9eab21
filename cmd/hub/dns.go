package main

import (
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"time"

	"gatehouse/app/dns"
	"gatehouse/app/naming"
	"gatehouse/app/provider/dnshost"
	"gatehouse/app/provider/dnslook"
	"gatehouse/app/setting"
	"gatehouse/db"
)

// span is a length of time in a setting, like 72h.
type span = time.Duration

// names says which names servers may have.
func (c config) names() dns.Policy {
	return dns.Policy{Zone: c.DNSZone, Own: c.DNS != naming.Loopback}
}

// dnsFaults says what is wrong with the settings of names.
func (c *config) dnsFaults() (bad []error) {
	say := func(name, format string, args ...any) { bad = append(bad, fmt.Errorf(name+": "+format, args...)) }
	switch c.DNS {
	case naming.Loopback:
		if c.DNSZone != "" {
			say("HUB_DNS_ZONE", "it is set, but HUB_DNS is loopback: names are below localhost then")
		}
	case naming.Manual, dnshost.CloudflareName, dnshost.PowerDNSName:
		zone, err := dns.Zone(c.DNSZone)
		if err != nil {
			say("HUB_DNS_ZONE", "%q is no zone like hosted.example.com", c.DNSZone)
		}
		c.DNSZone = zone
	default:
		say("HUB_DNS", "%q is none of loopback, manual, cloudflare, powerdns", c.DNS)
	}
	return append(bad, c.dnsAccessFaults()...)
}

// dnsAccessFaults says what is wrong with how the provider and name servers are reached.
func (c *config) dnsAccessFaults() (bad []error) {
	say := func(name, format string, args ...any) { bad = append(bad, fmt.Errorf(name+": "+format, args...)) }
	if api := c.DNS == dnshost.CloudflareName || c.DNS == dnshost.PowerDNSName; api != (c.DNSToken != "") {
		say("HUB_DNS_TOKEN", "needed for cloudflare and powerdns, and for nothing else")
	}
	if c.DNS == dnshost.PowerDNSName && c.DNSURL == "" {
		say("HUB_DNS_URL", "needed for powerdns, like http://127.0.0.1:8081")
	}
	if c.DNSURL != "" && !isWeb(c.DNSURL) {
		say("HUB_DNS_URL", "%q is no http or https address", c.DNSURL)
	}
	if u, err := url.Parse(c.DNSURL); err == nil && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		say("HUB_DNS_URL", "the token would go over the network without TLS: use https, or an address of this machine")
	}
	if u, err := url.Parse(c.ACME); c.ACME != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		say("HUB_ACME_DIRECTORY", "%q is no https address", c.ACME)
	}
	if c.DNSResolver != "" && !isHostPort(c.DNSResolver) {
		say("HUB_DNS_RESOLVER", "%q is no address like 127.0.0.1:53", c.DNSResolver)
	}
	if c.DNSGiveUp < time.Minute {
		say("HUB_DNS_GIVE_UP", "at least a minute, like 72h")
	}
	if c.DNSPort != 0 && c.BehindTLS {
		say("HUB_DNS_PORT", "it is for tests on one machine: a hub that others reach would ask inside its own network whatever they name")
	}
	return bad
}

// openNames puts together how servers get their names.
func (p *parts) openNames(cfg config, log *slog.Logger) error {
	p.orders.Names = cfg.names()
	p.names = &naming.Service{
		Orders: p.orders, Store: &db.Names{DB: p.db}, Provider: cfg.DNS, Issuer: cfg.DNSIssuer, Record: &db.Trail{DB: p.db},
		Lookout: &dnslook.Lookout{Asks: p.settings.Text(setting.NamesAsks), Port: portText(cfg.DNSPort), Private: cfg.DNSPort != 0},
		Notify:  p.orders.Notify, GiveUp: cfg.DNSGiveUp, Now: time.Now, Log: log,
	}
	if cfg.DNS == dnshost.CloudflareName || cfg.DNS == dnshost.PowerDNSName {
		api := &tokened{name: cfg.DNS, address: p.settings.Text(setting.NamesAPI), token: p.settings.Text(setting.NamesToken)}
		if _, err := api.now(); err != nil {
			return err
		}
		p.names.Records = &dnshost.Host{Provider: api, Zone: cfg.DNSZone, Book: &db.DNSRecords{DB: p.db, Now: time.Now}}
	}
	return nil
}

func portText(port uint16) string {
	if port == 0 {
		return ""
	}
	return strconv.Itoa(int(port))
}
