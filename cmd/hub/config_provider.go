package main

import (
	"errors"
	"fmt"
	"slices"

	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/app/provider/vpshost/local"
	"gatehouse/app/provider/vpshost/netcup"
	machines "gatehouse/app/provider/vpshost/pool"
)

// providerFaults says what is wrong with where servers are set up.
func (c *config) providerFaults() []error {
	var bad []error
	if !slices.Contains([]string{local.Name, machines.Name, netcup.Name, hetzner.Name}, c.Provider) {
		bad = append(bad, fmt.Errorf("HUB_PROVIDER: %q is none of local, pool, netcup and hetzner", c.Provider))
	}
	if c.Provider == hetzner.Name && c.HetznerToken == "" {
		bad = append(bad, errors.New("HETZNER_TOKEN: needed to set servers up at Hetzner"))
	}
	if (c.HetznerToken == "") != (c.HetznerKinds == "") {
		return append(bad, errors.New("HETZNER_TOKEN and HETZNER_MACHINES: set both, or neither"))
	}
	if c.HetznerToken != "" {
		if _, err := c.hetznerKinds(); err != nil {
			bad = append(bad, fmt.Errorf("HETZNER_MACHINES: %w", err))
		}
	}
	if c.HetznerURL != "" && !isWeb(c.HetznerURL) {
		bad = append(bad, fmt.Errorf("HETZNER_URL: %q is no http or https address", c.HetznerURL))
	}
	if c.NetcupURL != "" && !isWeb(c.NetcupURL) {
		bad = append(bad, fmt.Errorf("NETCUP_URL: %q is no http or https address", c.NetcupURL))
	}
	return bad
}

func (c *config) hetznerKinds() (hetzner.Wanted, error) {
	return hetzner.ParseWanted(c.HetznerKinds, []string{string(order.EU), string(order.NA)})
}
