package httprequest

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"gatehouse/agentd/tools/registry"
)

// TestAddresses: where a name may lead. One address that does not fit spoils it.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		host, leads string
		private     bool
		ok          bool
	}{
		"public":                      {"api.example.com", "93.184.216.34", false, true},
		"public v6":                   {"api.example.com", "2606:2800:220:1::1", false, true},
		"loopback":                    {"api.example.com", "127.0.0.1", false, false},
		"loopback, said private":      {"api.example.com", "127.0.0.1", true, false},
		"loopback elsewhere":          {"api.example.com", "127.9.9.9", true, false},
		"v6 loopback":                 {"api.example.com", "::1", true, false},
		"mapped loopback":             {"api.example.com", "::ffff:127.0.0.1", true, false},
		"NAT64 of loopback":           {"api.example.com", "64:ff9b::7f00:1", true, false},
		"6to4 of loopback":            {"api.example.com", "2002:7f00:1::", true, false},
		"metadata":                    {"api.example.com", "169.254.169.254", true, false},
		"metadata v6":                 {"api.example.com", "fd00:ec2::254", true, false},
		"link local":                  {"api.example.com", "fe80::1", true, false},
		"any":                         {"api.example.com", "0.0.0.0", true, false},
		"any v6":                      {"api.example.com", "::", true, false},
		"multicast":                   {"api.example.com", "224.0.0.1", true, false},
		"private":                     {"crm.lan", "10.0.0.7", false, false},
		"private, said so":            {"crm.lan", "10.0.0.7", true, true},
		"carrier grade":               {"crm.lan", "100.64.0.1", false, false},
		"own v6":                      {"crm.lan", "fc00::1", true, true},
		"public then loopback":        {"api.example.com", "93.184.216.34 127.0.0.1", true, false},
		"none":                        {"api.example.com", "", true, false},
		"literal loopback":            {"127.0.0.1", "", false, true},
		"literal private":             {"192.168.1.5", "", false, true},
		"literal metadata":            {"169.254.169.254", "", true, false},
		"literal mapped metadata":     {"::ffff:169.254.169.254", "", true, false},
		"literal any":                 {"0.0.0.0", "", true, false},
		"literal with a zone":         {"fe80::1%lo", "", true, false},
		"localhost, whatever is said": {"localhost", "93.184.216.34", false, true},
	} {
		d := dialer{resolve: func(context.Context, string) ([]netip.Addr, error) {
			var all []netip.Addr
			for _, a := range strings.Fields(c.leads) {
				all = append(all, netip.MustParseAddr(a))
			}
			return all, nil
		}}
		got, err := d.addresses(t.Context(), registry.Tool{Private: c.private}, c.host)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if name == "localhost, whatever is said" && (len(got) != 2 || !got[0].IsLoopback()) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAddresses_oddNumbers: hosts that only look like names go to the resolver, never to an address by another reading.
func TestAddresses_oddNumbers(t *testing.T) {
	t.Parallel()
	asked := errors.New("asked")
	d := dialer{resolve: func(context.Context, string) ([]netip.Addr, error) { return nil, asked }}
	for _, host := range []string{"0x7f.1", "127.1", "2130706433", "017700000001", "127.0.0.1.", "①27.0.0.1"} {
		if got, err := d.addresses(t.Context(), registry.Tool{}, host); !errors.Is(err, asked) {
			t.Errorf("%s: %v, %v", host, got, err)
		}
	}
}
