package main

import (
	"testing"

	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost/hetzner"
)

// TestProviders: our staff choose from places that there are, and rented machines are among them once there is a token; an order goes
// where its region and plan say.
func TestProviders(t *testing.T) {
	t.Parallel()
	p := openTestParts(t, map[string]string{})
	h := &hub{parts: p}
	hosts := h.hosts()
	offered := func() map[string]bool {
		all := map[string]bool{}
		for _, name := range p.places() {
			if all[name] = true; hosts[name] == nil && name != "local" { // which comes with the workers
				t.Errorf("%s is offered and not there", name)
			}
		}
		return all
	}
	if offered()[hetzner.Name] {
		t.Error("machines are offered that nobody can rent")
	}
	set(t, p, "providers.hetzner_token", "hcloud-token-of-the-test")
	set(t, p, "providers.hetzner_machines", "eu=cx23@nbg1")
	if !offered()[hetzner.Name] {
		t.Error("machines that can be rented are not offered")
	}
	set(t, p, "providers.choice", "eu=pool, eu/scale=hetzner")
	for want, o := range map[string]order.Order{
		"pool": {Region: order.EU, Plan: "lite"}, "hetzner": {Region: order.EU, Plan: "scale"}, "local": {Region: order.NA, Plan: "scale"},
	} {
		if got := p.place(o); got != want {
			t.Errorf("%s/%s goes to %q, want %q", o.Region, o.Plan, got, want)
		}
	}
}
