package dns

import "slices"

// Seen is what a look at the name servers of a zone found.
type Seen struct {
	Zone    string   `json:"zone"` // empty: no name server answers for the name
	Servers []Server `json:"servers"`
}

// Trouble is why a server's answers cannot be used.
type Trouble string

// The troubles.
const (
	NoAddress Trouble = "no_address" // nobody knows where the server is
	NoAnswer  Trouble = "no_answer"
	NotForIt  Trouble = "not_for_it" // it answers, but not for this zone
	Private   Trouble = "private"    // it is said to stand in a private network, where the hub does not ask
)

// Server is what one name server said.
type Server struct {
	Name    string   `json:"name"`
	Address string   `json:"address,omitempty"`
	Trouble Trouble  `json:"trouble,omitempty"`
	Answers []Answer `json:"answers,omitempty"`
}

// Answer is what a server holds of one name and type. Without values it holds none.
type Answer struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Values []string `json:"values,omitempty"`
}

// holds lists the values of a name and type at the server.
func (s Server) holds(name, kind string) []string {
	for _, a := range s.Answers {
		if a.Name == name && a.Type == kind {
			return a.Values
		}
	}
	return nil
}

// Question is a name and type to ask for.
type Question struct{ Name, Type string }

// Questions lists what each server of the zone is asked about a host: its addresses, those of any name below it, those of any
// name beside it, which show a wildcard further up, and which authorities may issue certificates for it.
func Questions(host, zone string, apps []string) []Question {
	names := []string{host, Probe + "." + host}
	for _, app := range apps {
		names = append(names, app+"."+host)
	}
	if host != zone {
		names = append(names, Probe+"."+Parent(host))
	}
	var all []Question
	for _, n := range names {
		all = append(all, Question{n, A}, Question{n, AAAA})
	}
	for n := host; Below(n, zone); n = Parent(n) {
		all = append(all, Question{n, CAA})
	}
	return all
}

func same(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}
