package main

import (
	"strings"
	"testing"
)

// TestLoadConfig_providers: a hub that could not set a server up where it should does not start, and says which setting is wrong.
func TestLoadConfig_providers(t *testing.T) {
	t.Parallel()
	const token, kinds = "hcloud-token-of-the-test", "eu=cx23@nbg1"
	for situation, c := range map[string]struct {
		env map[string]string
		bad string // what the error names; empty: none
	}{
		"none":          {},
		"rented":        {env: map[string]string{"HUB_PROVIDER": "hetzner", "HETZNER_TOKEN": token, "HETZNER_MACHINES": kinds}},
		"offered":       {env: map[string]string{"HETZNER_TOKEN": token, "HETZNER_MACHINES": kinds}},
		"unknown":       {env: map[string]string{"HUB_PROVIDER": "moon"}, bad: "HUB_PROVIDER"},
		"no token":      {env: map[string]string{"HUB_PROVIDER": "hetzner", "HETZNER_MACHINES": kinds}, bad: "HETZNER_TOKEN"},
		"no machines":   {env: map[string]string{"HETZNER_TOKEN": token}, bad: "HETZNER_TOKEN and HETZNER_MACHINES"},
		"not readable":  {env: map[string]string{"HETZNER_TOKEN": token, "HETZNER_MACHINES": "eu:cx23"}, bad: "HETZNER_MACHINES"},
		"no such place": {env: map[string]string{"HETZNER_TOKEN": token, "HETZNER_MACHINES": "xx=cx23@nbg1"}, bad: "HETZNER_MACHINES"},
		"no address":    {env: map[string]string{"HETZNER_URL": "api"}, bad: "HETZNER_URL"},
		"adopted":       {env: map[string]string{"HUB_PROVIDER": "netcup"}},
		"no panel":      {env: map[string]string{"NETCUP_URL": "panel"}, bad: "NETCUP_URL"},
	} {
		_, err := loadConfig(c.env)
		if (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%s: %v", situation, err)
		}
		if err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%s: the token stands in %v", situation, err)
		}
	}
}
