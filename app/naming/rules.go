package naming

import (
	"time"

	"gatehouse/app/dns"
	"gatehouse/app/tune"
)

// Rules are what our staff may change about names while the hub runs. The zero value has everything as it comes.
type Rules struct {
	Issuer tune.Value[string]        // who issues certificates, as CAA records name it
	GiveUp tune.Value[time.Duration] // after which a name that is not right fails its order
	TTL    tune.Value[int]           // seconds that others may remember a record which the hub makes
	Calm   tune.Value[time.Duration] // how long name servers are left alone after a look that somebody asked for
}

// made are the records of a name as the hub makes them.
func (s *Service) made(n Name) []dns.Record {
	want := n.Want()
	for i := range want {
		want[i].TTL = s.Rules.TTL.Or(want[i].TTL)
	}
	return want
}
