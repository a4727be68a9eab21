package providers

import "context"

// Condition says in one word how it stands with a provider.
type Condition string

// The conditions of a provider.
const (
	Ready        Condition = "ready"
	Asking       Condition = "asking"        // a connection waits for a yes at the provider
	NotConnected Condition = "not_connected" // there is no account to ask
	NoKey        Condition = "no_key"        // the settings have no token for it
	NoneFree     Condition = "none_free"     // an order would wait for a machine
	Troubled     Condition = "problem"       // it refused or did not answer when it was asked last
)

// Made stands for the free machines of a provider that makes one for each order.
const Made = -1

// Standing is how it stands with one provider.
type Standing struct {
	Name  string
	Is    Condition
	Used  int    // servers that it runs
	Free  int    // machines that wait, or Made
	Check *Check // the last one; nil: nobody has asked it
}

// Standings says how it stands with each provider, in the order of pages. It asks none of them.
func (s *Service) Standings(ctx context.Context) ([]Standing, error) {
	o, err := s.Overview(ctx)
	if err != nil {
		return nil, err
	}
	return o.Standings(), nil
}

// Standings says how it stands with each provider, in the order of pages.
func (o Overview) Standings() []Standing {
	return []Standing{o.netcup(), o.hetzner(), o.pool(), {Name: Local, Is: Ready, Used: o.Used[Local], Free: Made}}
}

// check is the last check of a provider.
func (o Overview) check(name string) *Check {
	c, ok := o.Checks[name]
	if !ok {
		return nil
	}
	return &c
}

func (o Overview) netcup() Standing {
	s := Standing{Name: Netcup, Is: Ready, Check: o.check(Netcup)}
	for _, m := range o.Machines {
		switch m.State {
		case Free:
			s.Free++
		case Taken:
			s.Used++
		}
	}
	ask := o.Link.Ask
	switch {
	case ask.Code != "" && ask.End == Waiting:
		s.Is = Asking
	case o.Link.Problem != "":
		s.Is = Troubled
	case !o.Link.Connected():
		s.Is = NotConnected
	case s.Free == 0:
		s.Is = NoneFree
	}
	return s
}

func (o Overview) hetzner() Standing {
	s := Standing{Name: Hetzner, Is: Ready, Used: o.Used[Hetzner], Free: Made, Check: o.check(Hetzner)}
	switch {
	case !o.HetznerKey:
		s.Is = NoKey
	case s.Check != nil && !s.Check.OK:
		s.Is = Troubled
	}
	return s
}

func (o Overview) pool() Standing {
	s := Standing{Name: Pool, Is: Ready, Used: o.Used[Pool], Free: o.PoolFree}
	if s.Free == 0 {
		s.Is = NoneFree
	}
	return s
}
