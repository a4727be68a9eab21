package hetzner

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gatehouse/app/provider/vpshost"
)

// Kind is which machine is made, and where.
type Kind struct {
	Type     string // as the provider names it, such as cx23
	Location string // such as nbg1
}

// Wanted says which kind of machine an order gets: by "region/plan", or else by "region".
type Wanted map[string]Kind

var entry = regexp.MustCompile(`^([a-z]{2})(/[a-z]+)?=([a-z0-9-]+)@([a-z0-9-]+)$`)

// ParseWanted reads entries such as "eu=cx23@nbg1,eu/scale=cx33@nbg1,na=cpx21@ash". An order that no entry fits is refused later.
func ParseWanted(text string, regions []string) (Wanted, error) {
	w := Wanted{}
	for _, part := range strings.Split(text, ",") {
		m := entry.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return nil, fmt.Errorf("%q is no entry like eu=cx23@nbg1 or eu/scale=cx33@nbg1", strings.TrimSpace(part))
		}
		if !slices.Contains(regions, m[1]) {
			return nil, fmt.Errorf("there is no region %q: there are %s", m[1], strings.Join(regions, ", "))
		}
		if _, twice := w[m[1]+m[2]]; twice {
			return nil, fmt.Errorf("%s stands there twice", m[1]+m[2])
		}
		w[m[1]+m[2]] = Kind{Type: m[3], Location: m[4]}
	}
	if len(w) == 0 {
		return nil, errors.New("it is empty")
	}
	return w, nil
}

func (w Wanted) of(s vpshost.Spec) (Kind, error) {
	for _, key := range []string{s.Region + "/" + s.Plan, s.Region} {
		if k, ok := w[key]; ok {
			return k, nil
		}
	}
	return Kind{}, &vpshost.RefusedError{Reason: fmt.Sprintf(
		"No machine is named for region %q. Add one on the page of settings, or choose another provider for this order.",
		s.Region,
	)}
}
