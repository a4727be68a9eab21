package dns

import "net/netip"

// Types of records that matter here.
const (
	A     = "A"
	AAAA  = "AAAA"
	CNAME = "CNAME"
	CAA   = "CAA"
)

// TTL is how long others may remember a record that we make or ask for, in seconds: short, so that a mistake is soon mended.
const TTL = 300

// Probe is the label that is asked for to find a wildcard: nobody has a record for it.
const Probe = "gatehouse-wildcard-probe"

// Record is one record, its name complete and without the last dot.
type Record struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value string `json:"value"`
	TTL   int    `json:"ttl"`
}

// Star is the wildcard below host.
func Star(host string) string { return "*." + host }

// Wanted lists the records that a server needs: its name, and all names below it, lead to its addresses. Below it are the names of
// the business's tools.
func Wanted(host string, addresses []netip.Addr) []Record {
	var all []Record
	for _, name := range []string{host, Star(host)} {
		for _, a := range addresses {
			all = append(all, Record{Name: name, Type: typeOf(a), Value: a.Unmap().String(), TTL: TTL})
		}
	}
	return all
}

func typeOf(a netip.Addr) string {
	if a.Unmap().Is4() {
		return A
	}
	return AAAA
}
