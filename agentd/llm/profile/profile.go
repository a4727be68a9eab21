package profile

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"gatehouse/agentd/wire"
)

// Protocol is what an endpoint speaks.
type Protocol string

// The protocols.
const (
	OpenAI    Protocol = "openai"
	Anthropic Protocol = "anthropic"
)

// Profile is one account at one endpoint. Several may name the same endpoint.
type Profile struct {
	Name     string   `yaml:"name"`
	Protocol Protocol `yaml:"protocol"`
	BaseURL  string   `yaml:"base_url"` // OpenAI: with /v1 where the endpoint wants it; Anthropic: without
	Models   []string `yaml:"models"`   // that may be asked for
	// Embeddings are models that turn texts into vectors, and are asked for nothing else.
	Embeddings []string `yaml:"embeddings"`
	NoKey      bool     `yaml:"no_key"` // the endpoint wants none
	Key        string   `yaml:"key"`    // whose it is: house, own or local, as in wire; empty: as PaidBy finds out
}

// Host is where the profile's requests go, host:port.
func (p Profile) Host() string {
	u, err := url.Parse(p.BaseURL)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// PaidBy says whose key pays for what the profile answers: what the settings say, else the operator's; an endpoint on this
// machine or its network that is asked without a key is paid by nobody.
func (p Profile) PaidBy(hasKey bool) string {
	switch {
	case p.Key != "":
		return p.Key
	case (p.NoKey || !hasKey) && p.near():
		return wire.KeyLocal
	}
	return wire.KeyHouse
}

// near says that requests stay on this machine or in its network.
func (p Profile) near() bool {
	u, err := url.Parse(p.BaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
}

// Plain says that requests go unencrypted over a network.
func (p Profile) Plain() bool {
	u, err := url.Parse(p.BaseURL)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

// Chain names the models that stand in for a model, in the order in which they are tried.
type Chain struct {
	Model string   `yaml:"model"`
	Then  []string `yaml:"then"`
}

// Set is all that may be asked.
type Set struct {
	Profiles []Profile `yaml:"profiles"`
	Chains   []Chain   `yaml:"chains"`
}

// Candidate is one way to answer a request.
type Candidate struct {
	Profile Profile
	Model   string
}

// Candidates are the ways to answer a request for model in a protocol: every profile that has it, then the same for
// each model that stands in for it. None means that nobody consented to asking for it.
func (s Set) Candidates(proto Protocol, model string) (all []Candidate) {
	for _, m := range append([]string{model}, s.then(model)...) {
		for _, p := range s.Profiles {
			if p.Protocol == proto && slices.Contains(p.Models, m) {
				all = append(all, Candidate{p, m})
			}
		}
	}
	return all
}

// Embedders are the ways to have texts turned into vectors by a model: every profile that has it, at the endpoint of the first of
// them. Vectors of another model, or of another endpoint, cannot be compared with these, so that nothing stands in.
func (s Set) Embedders(model string) (all []Candidate) {
	for _, p := range s.Profiles {
		has := slices.Contains(p.Embeddings, model) || slices.Contains(p.Models, model)
		if p.Protocol == OpenAI && has && (len(all) == 0 || all[0].Profile.Host() == p.Host()) {
			all = append(all, Candidate{p, model})
		}
	}
	return all
}

func (s Set) then(model string) []string {
	for _, c := range s.Chains {
		if c.Model == model {
			return c.Then
		}
	}
	return nil
}

// Hosts are all places that requests may go to, host:port.
func (s Set) Hosts() map[string]bool {
	hosts := map[string]bool{}
	for _, p := range s.Profiles {
		hosts[p.Host()] = true
	}
	return hosts
}

// Models are all models that may be asked for, in the order of the profiles, each once.
func (s Set) Models() (all []string) {
	for _, p := range s.Profiles {
		for _, m := range p.Models {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}
