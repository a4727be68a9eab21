package dns

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestPolicy_Parse(t *testing.T) {
	t.Parallel()
	p := Policy{Zone: "hosted.example.net", Own: true}
	for typed, want := range map[string]string{
		"":                           "",
		" Bakery.Example.COM. ":      "bakery.example.com",
		"https://team.example.org/":  "team.example.org",
		"bäckerei-müller.de":         "xn--bckerei-mller-bfb28a.de",
		"team.xn--bckerei-n2a.at":    "team.xn--bckerei-n2a.at",
		"straße.de":                  "xn--strae-oqa.de",
		"shop.co.uk":                 "shop.co.uk",
		"a.b.c.d.example.com":        "a.b.c.d.example.com",
		"notours-hosted.example.net": "notours-hosted.example.net",
	} {
		if got, problem := p.Parse(typed); got != want || problem != "" {
			t.Errorf("%q: %q, %q; want %q", typed, got, problem, want)
		}
	}
	for typed, want := range map[string]string{
		"bakery":                              badDomain,
		"two words.com":                       badDomain,
		"under_score.com":                     badDomain,
		"-x.com":                              badDomain,
		"x..com":                              badDomain,
		"example.com/path":                    badDomain,
		"someone@example.com":                 badDomain,
		"example.com:443":                     badDomain,
		strings.Repeat("a", 64) + ".com":      badDomain,
		strings.Repeat("abcdef.", 36) + "com": badDomain,
		"xn--a.com":                           badDomain,
		"*.example.com":                       wildcard,
		"192.0.2.1":                           addressOnly,
		"2001:db8::1":                         addressOnly,
		"bakery.example":                      unknownTop,
		"bakery.localhost":                    unknownTop,
		"bakery.exampel":                      unknownTop,
		"hosted.example.net":                  ourZone,
		"x.hosted.example.net":                ourZone,
	} {
		if got, problem := p.Parse(typed); got != "" || problem != want {
			t.Errorf("%q: %q, %q; want %q", typed, got, problem, want)
		}
	}
	if _, problem := p.Parse("co.uk"); !strings.Contains(problem, "yourname.co.uk") {
		t.Errorf("a public suffix: %q", problem)
	}
	if _, problem := (Policy{}).Parse("bakery.com"); problem != notOffered {
		t.Errorf("a hub that gives all names itself: %q", problem)
	}
}

func TestPolicy_Host(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, domain, want string }{
		{"", "", "b-1.localhost"}, {"ours.net", "", "b-1.ours.net"}, {"ours.net", "own.org", "own.org"},
	} {
		if got := (Policy{Zone: c.zone}).Host(c.domain, "b-1"); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

var (
	four = netip.MustParseAddr("192.0.2.1")
	six  = netip.MustParseAddr("2001:db8::1")
)

const host = "team.bakery.com"

// says is a server that holds records, each as NAME TYPE VALUE.
func says(name string, records ...string) Server {
	s := Server{Name: name, Address: "198.51.100.1"}
	for _, q := range Questions(host, "bakery.com", []string{"files", "mail"}) {
		for _, kind := range []string{q.Type, CNAME} {
			a := Answer{Name: q.Name, Type: kind}
			for _, r := range records {
				f := strings.SplitN(r, " ", 3)
				if f[0] == q.Name && f[1] == kind {
					a.Values = append(a.Values, f[2])
				}
			}
			if kind == q.Type || len(a.Values) > 0 {
				s.Answers = append(s.Answers, a)
			}
		}
	}
	return s
}

func TestPlan_Judge(t *testing.T) {
	t.Parallel()
	const probe, beside = Probe + "." + host, Probe + ".bakery.com"
	good := []string{host + " A 192.0.2.1", probe + " A 192.0.2.1"}
	with := func(more ...string) Server { return says("ns1", append(slices.Clone(good), more...)...) }
	for name, c := range map[string]struct {
		servers []Server
		apps    []string
		six     bool // the server has an IPv6 address too
		right   bool
		rows    []Status
		remarks []string
	}{
		"all is there":     {servers: []Server{with()}, right: true, rows: []Status{Right, Right}},
		"nothing is there": {servers: []Server{says("ns1")}, rows: []Status{Missing, Missing}},
		"one server lags":  {servers: []Server{with(), says("ns2")}, rows: []Status{Spreading, Spreading}},
		"another address": {
			servers: []Server{says("ns1", host+" A 203.0.113.9", probe+" A 192.0.2.1")},
			rows:    []Status{Wrong, Right}, remarks: []string{"leftover team.bakery.com A 203.0.113.9"},
		},
		"an old address beside": {
			servers: []Server{with(host + " A 203.0.113.9")},
			rows:    []Status{Right, Right}, remarks: []string{"leftover team.bakery.com A 203.0.113.9"},
		},
		"an old IPv6 address": {
			servers: []Server{with(host + " AAAA 2001:db8::9")},
			rows:    []Status{Right, Right}, remarks: []string{"leftover team.bakery.com AAAA 2001:db8::9"},
		},
		"both families": {
			servers: []Server{with(host+" AAAA 2001:db8::1", probe+" AAAA 2001:db8::1")}, six: true, right: true,
			rows: []Status{Right, Right, Right, Right},
		},
		"IPv6 is missing": {servers: []Server{with()}, six: true, rows: []Status{Right, Missing, Right, Missing}},
		"an alias": {
			servers: []Server{says("ns1", host+" CNAME old.example.org", probe+" A 192.0.2.1")},
			rows:    []Status{Missing, Right}, remarks: []string{"alias team.bakery.com CNAME old.example.org"},
		},
		"each tool by itself": {
			servers: []Server{says("ns1", host+" A 192.0.2.1", "files."+host+" A 192.0.2.1", "mail."+host+" A 192.0.2.1")}, apps: []string{"files", "mail"}, right: true,
			rows: []Status{Right, Right},
		},
		"one tool without": {
			servers: []Server{says("ns1", host+" A 192.0.2.1", "files."+host+" A 192.0.2.1")}, apps: []string{"files", "mail"},
			rows: []Status{Right, Missing},
		},
		"a wildcard further up": {
			servers: []Server{says("ns1", host+" A 203.0.113.9", probe+" A 203.0.113.9", beside+" A 203.0.113.9")},
			rows:    []Status{Missing, Missing}, remarks: []string{"covered *.bakery.com A 203.0.113.9"},
		},
		"records before it": {servers: []Server{with(beside + " A 203.0.113.9")}, right: true, rows: []Status{Right, Right}},
		"a wildcard alias": {
			servers: []Server{says("ns1", host+" CNAME x.org", probe+" CNAME x.org", beside+" CNAME x.org")},
			rows:    []Status{Missing, Missing}, remarks: []string{"covered *.bakery.com CNAME x.org"},
		},
		"another authority": {
			servers: []Server{with(`bakery.com CAA 0 issue "other.example"`)},
			rows:    []Status{Right, Right}, remarks: []string{`forbids bakery.com CAA 0 issue "other.example"`},
		},
		"ours among others": {
			servers: []Server{with(`bakery.com CAA 0 issue "other.example"`, `bakery.com CAA 0 issue "letsencrypt.org; validationmethods=http-01"`)}, right: true,
			rows: []Status{Right, Right},
		},
		"the nearest counts": {
			servers: []Server{with(`bakery.com CAA 0 issue ";"`, host+` CAA 0 issue "letsencrypt.org"`)}, right: true,
			rows: []Status{Right, Right},
		},
		"nobody may issue": {
			servers: []Server{with(`bakery.com CAA 0 issue ";"`)},
			rows:    []Status{Right, Right}, remarks: []string{`forbids bakery.com CAA 0 issue ";"`},
		},
		"only a mail address": {
			servers: []Server{with(`bakery.com CAA 0 iodef "mailto:x@y.org"`)}, right: true,
			rows: []Status{Right, Right},
		},
		"critical and unknown": {
			servers: []Server{with(`bakery.com CAA 128 future "x"`)},
			rows:    []Status{Right, Right}, remarks: []string{`forbids bakery.com CAA 128 future "x"`},
		},
		"a server says nothing": {
			servers: []Server{with(), {Name: "ns2", Trouble: NoAnswer}},
			rows:    []Status{Right, Right}, remarks: []string{"silent ns2  no_answer"},
		},
		"no server says a thing": {
			servers: []Server{{Name: "ns2", Trouble: NotForIt}},
			rows:    []Status{Missing, Missing}, remarks: []string{"silent ns2  not_for_it"},
		},
	} {
		addresses := []netip.Addr{four}
		if c.six {
			addresses = append(addresses, six)
		}
		r := Plan{
			Host:   host,
			Want:   Wanted(host, addresses),
			Apps:   c.apps,
			Issuer: "letsencrypt.org",
		}.Judge(
			Seen{Zone: "bakery.com", Servers: c.servers},
		)
		var rows []Status
		for _, row := range r.Rows {
			rows = append(rows, row.Status)
		}
		var remarks []string
		for _, m := range r.Remarks {
			remarks = append(remarks, strings.Join([]string{string(m.Kind), m.Name, m.Type, strings.Join(m.Values, ", ")}, " "))
		}
		if r.Right != c.right || !slices.Equal(rows, c.rows) || !slices.Equal(remarks, c.remarks) {
			t.Errorf("%s: right %v, rows %q, remarks %q", name, r.Right, rows, remarks)
		}
		if (len(r.Lacking()) == 0) != !slices.ContainsFunc(rows, func(s Status) bool { return s != Right }) {
			t.Errorf("%s: lacking %q", name, r.Lacking())
		}
	}
	if r := (Plan{Host: host, Want: Wanted(host, []netip.Addr{four})}).Judge(Seen{}); r.Right || r.Remarks[0].Kind != NoZone {
		t.Errorf("a domain that nobody has: %+v", r)
	}
}
