package names

import (
	"gatehouse/app/dns"
	"gatehouse/app/naming"
	views "gatehouse/views/dns"
)

// Props is the name as a page shows it; nil where there is nothing to show, because names need no records.
func Props(s naming.State, domain string) *views.Props {
	if s.Provider == naming.Loopback {
		return nil
	}
	p := &views.Props{
		Host: dns.Shown(s.Host), Own: s.Own, ByHand: s.Provider == naming.Manual, Known: len(s.Addresses) > 0,
		Right: s.Right(), Waits: s.Waits,
		Problem: string(s.Problem), Detail: s.Detail, LookedAt: s.LookedAt, NextAt: s.NextAt,
		Renamable: s.Renamable, Domain: dns.Shown(domain),
	}
	if s.Report == nil {
		for _, w := range s.Want() {
			p.Rows = append(p.Rows, row(dns.Row{Record: w, Status: dns.Missing}))
		}
		return p
	}
	p.Zone = dns.Shown(s.Report.Zone)
	for _, r := range s.Report.Rows {
		p.Rows = append(p.Rows, row(r))
	}
	for _, m := range s.Report.Remarks {
		p.Remarks = append(p.Remarks, views.Remark{
			Kind: string(m.Kind), Name: dns.Shown(m.Name), Type: m.Type, Values: m.Values,
		})
	}
	for _, l := range s.Report.Servers {
		p.Servers = append(p.Servers, views.Server{
			Name: l.Name, Address: l.Address, Trouble: string(l.Trouble), Right: l.Right, Holds: l.Holds,
		})
	}
	return p
}

// row keeps the name as it is entered: providers take names in that form alone.
func row(r dns.Row) views.Row {
	return views.Row{Type: r.Type, Name: r.Name, Value: r.Value, TTL: r.TTL, Status: string(r.Status), Found: r.Found}
}
