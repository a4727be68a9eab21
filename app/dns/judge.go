package dns

import (
	"slices"
	"strings"
)

// Status is what became of a record that is wanted.
type Status string

// The statuses of wanted records.
const (
	Right     Status = "right"     // every server has it
	Missing   Status = "missing"   // no server has one of its name and type
	Wrong     Status = "wrong"     // servers have others in its place
	Spreading Status = "spreading" // some servers have it, others not yet
)

// Kind says what a remark is about.
type Kind string

// The kinds of remarks. All but Covered keep a name from being right.
const (
	Leftover Kind = "leftover" // a record that leads visitors elsewhere: take it away
	Alias    Kind = "alias"    // a CNAME stands where addresses belong
	Forbids  Kind = "forbids"  // a CAA record does not let our authority issue certificates
	Covered  Kind = "covered"  // a wildcard further up answers for the name: the records below come before it
	Silent   Kind = "silent"   // a server does not answer as it should
	NoZone   Kind = "no_zone"  // no name server is known for the domain
)

// Row is a record that is wanted, and what is there.
type Row struct {
	Record
	Status Status   `json:"status"`
	Found  []string `json:"found,omitempty"` // what servers hold instead, or beside it
}

// Remark is something that a person has to see.
type Remark struct {
	Kind   Kind     `json:"kind"`
	Name   string   `json:"name"`
	Type   string   `json:"type,omitempty"`
	Values []string `json:"values,omitempty"`
}

// Line is what one server has of what is wanted.
type Line struct {
	Name    string   `json:"name"`
	Address string   `json:"address,omitempty"`
	Trouble Trouble  `json:"trouble,omitempty"`
	Right   bool     `json:"right"`
	Holds   []string `json:"holds,omitempty"` // "A 192.0.2.1" of the host, then "* A 192.0.2.1" of names below it
}

// Report is the judgement of a look.
type Report struct {
	Host    string   `json:"host"`
	Zone    string   `json:"zone,omitempty"`
	Right   bool     `json:"right"`
	Rows    []Row    `json:"rows"`
	Remarks []Remark `json:"remarks,omitempty"`
	Servers []Line   `json:"servers,omitempty"`
}

// Plan is what a name has to be like.
type Plan struct {
	Host   string
	Want   []Record
	Apps   []string // labels below the host that are in use: right records for each of them do instead of the wildcard
	Issuer string   // the authority that issues certificates, as CAA records name it; empty: none is needed
}

// Judge compares what is wanted with what servers hold.
func (p Plan) Judge(seen Seen) Report {
	r := Report{Host: p.Host, Zone: seen.Zone}
	j := judge{Plan: p, seen: seen, asked: slices.DeleteFunc(slices.Clone(seen.Servers), func(s Server) bool { return s.Trouble != "" })}
	for _, w := range p.Want {
		r.Rows = append(r.Rows, j.row(w))
	}
	r.Remarks = j.remarks()
	for _, s := range seen.Servers {
		r.Servers = append(r.Servers, j.line(s))
	}
	r.Right = len(j.asked) > 0
	for _, row := range r.Rows {
		r.Right = r.Right && row.Status == Right
	}
	for _, m := range r.Remarks {
		r.Right = r.Right && m.Kind == Covered
	}
	return r
}

// judge judges one look.
type judge struct {
	Plan
	seen  Seen
	asked []Server // those that answered
}

func (j judge) row(w Record) Row {
	row := Row{Record: w, Status: Missing}
	have := 0
	for _, s := range j.asked {
		held := j.held(s, w)
		if slices.Contains(held, w.Value) {
			have++
		}
		for _, v := range held {
			if v != w.Value && !j.wants(w.Name, v) && !slices.Contains(row.Found, v) {
				row.Found = append(row.Found, v)
			}
		}
	}
	switch {
	case have > 0 && have == len(j.asked):
		row.Status = Right
	case have > 0:
		row.Status = Spreading
	case len(row.Found) > 0:
		row.Status = Wrong
	}
	return row
}

// held lists what a server holds where w belongs: below a host it is the wildcard, or else the names in use when all are right.
func (j judge) held(s Server, w Record) []string {
	if w.Name != Star(j.Host) {
		return j.own(s, w.Name, w.Type)
	}
	held := j.own(s, Probe+"."+j.Host, w.Type)
	if slices.Contains(held, w.Value) || len(j.Apps) == 0 {
		return held
	}
	for _, app := range j.Apps {
		if !slices.Contains(j.own(s, app+"."+j.Host, w.Type), w.Value) {
			return held
		}
	}
	return []string{w.Value}
}

// own lists what a server holds for a name itself, without what a wildcard further up answers for it.
func (j judge) own(s Server, name, kind string) []string {
	held := s.holds(name, kind)
	if j.Host == j.seen.Zone || len(held) == 0 {
		return held
	}
	if beside := s.holds(Probe+"."+Parent(j.Host), kind); same(held, beside) {
		return nil
	}
	return held
}

func (j judge) wants(name, value string) bool {
	return slices.ContainsFunc(j.Want, func(w Record) bool { return w.Name == name && w.Value == value })
}

func (j judge) remarks() []Remark {
	var all []Remark
	if j.seen.Zone == "" {
		return append(all, Remark{Kind: NoZone, Name: j.Host})
	}
	for _, s := range j.seen.Servers {
		if s.Trouble != "" {
			all = append(all, Remark{Kind: Silent, Name: s.Name, Values: []string{string(s.Trouble)}})
		}
	}
	for _, s := range j.asked {
		all = j.misled(all, s, j.Host, j.Host)
		all = j.misled(all, s, Probe+"."+j.Host, Star(j.Host))
		if name, values := j.forbids(s); name != "" {
			all = add(all, Remark{Kind: Forbids, Name: name, Type: CAA, Values: values})
		}
	}
	return all
}

// misled adds what leads visitors of a name elsewhere. shown is what people call the name.
func (j judge) misled(all []Remark, s Server, name, shown string) []Remark {
	up := Star(Parent(j.Host))
	if to := s.holds(name, CNAME); len(to) > 0 {
		if own := j.own(s, name, CNAME); len(own) > 0 {
			return add(all, Remark{Kind: Alias, Name: shown, Type: CNAME, Values: own})
		}
		return add(all, Remark{Kind: Covered, Name: up, Type: CNAME, Values: to})
	}
	for _, kind := range []string{A, AAAA} {
		held, own := s.holds(name, kind), j.own(s, name, kind)
		if len(own) == 0 && len(held) > 0 {
			all = add(all, Remark{Kind: Covered, Name: up, Type: kind, Values: held})
		}
		for _, v := range own {
			if !j.wants(shown, v) {
				all = add(all, Remark{Kind: Leftover, Name: shown, Type: kind, Values: []string{v}})
			}
		}
	}
	return all
}

// add adds a remark that is not there yet: several servers say the same.
func add(all []Remark, m Remark) []Remark {
	if slices.ContainsFunc(all, func(o Remark) bool {
		return o.Kind == m.Kind && o.Name == m.Name && o.Type == m.Type && same(o.Values, m.Values)
	}) {
		return all
	}
	return append(all, m)
}

// forbids finds the CAA records that count for the host, the nearest on the way up, and says where they stand when they do not let
// our authority issue (RFC 8659).
func (j judge) forbids(s Server) (name string, values []string) {
	if j.Issuer == "" {
		return "", nil
	}
	for n := j.Host; Below(n, j.seen.Zone); n = Parent(n) {
		if set := s.holds(n, CAA); len(set) > 0 {
			if lets(set, j.Issuer) {
				return "", nil
			}
			return n, set
		}
	}
	return "", nil
}

// lets says whether CAA records, each as FLAGS TAG VALUE, let an authority issue.
func lets(set []string, issuer string) bool {
	named, ours := false, false
	for _, c := range set {
		flags, rest, _ := strings.Cut(c, " ")
		tag, value, _ := strings.Cut(rest, " ")
		tag = strings.ToLower(tag)
		if flags == "128" && !slices.Contains([]string{"issue", "issuewild", "iodef", "issuemail", "contactemail", "contactphone"}, tag) {
			return false // critical, and unknown to us
		}
		if tag == "issue" {
			domain, _, _ := strings.Cut(strings.Trim(value, `"`), ";")
			named, ours = true, ours || strings.EqualFold(strings.TrimSpace(domain), issuer)
		}
	}
	return ours || !named
}

func (j judge) line(s Server) Line {
	l := Line{Name: s.Name, Address: s.Address, Trouble: s.Trouble, Right: s.Trouble == ""}
	for _, w := range j.Want {
		l.Right = l.Right && slices.Contains(j.held(s, w), w.Value)
	}
	for _, n := range []struct{ name, mark string }{{j.Host, ""}, {Probe + "." + j.Host, "* "}} {
		for _, kind := range []string{CNAME, A, AAAA} {
			for _, v := range s.holds(n.name, kind) {
				l.Holds = append(l.Holds, n.mark+kind+" "+v)
			}
		}
	}
	return l
}

// Lacking lists the records that are not right yet, as people enter them: "A bakery.example 192.0.2.1".
func (r Report) Lacking() []string {
	var all []string
	for _, row := range r.Rows {
		if row.Status != Right {
			all = append(all, row.Type+" "+Shown(row.Name)+" "+row.Value)
		}
	}
	return all
}
