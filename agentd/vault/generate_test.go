package vault_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/wire"
)

// TestRandom: 10,000 values, none twice, every class in each.
func TestRandom(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	c := wire.SecretConstraints{Length: 24, Classes: []string{"lower", "upper", "digit", "symbol"}}
	for range 10_000 {
		v, err := vault.Random(c)
		if err != nil {
			t.Fatal(err)
		}
		s := v.Reveal()
		if seen[s] || len(s) != 24 || !strings.ContainsAny(s, "23456789") || !strings.ContainsAny(s, "!#%&()*+,-./:;<=>?@[]^_{}~") ||
			strings.ToLower(s) == s || strings.ToUpper(s) == s || strings.ContainsAny(s, "0O1lI|o") {
			t.Fatal("a value was made twice or does not fit")
		}
		seen[s] = true
	}
}

func TestRandom_refusals(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]wire.SecretConstraints{
		"a PIN": {Length: 8, Classes: []string{"digit"}}, "too short": {Length: 7}, "too long": {Length: 257}, "no class": {Classes: []string{"emoji"}},
		"below 128 bits": {Length: 21}, "negative": {Length: -1},
	} {
		if v, err := vault.Random(c); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v, %v", what, v.Empty(), err)
		}
	}
	if v, err := vault.Random(wire.SecretConstraints{Length: 64, Classes: []string{"digit"}}); err != nil || strings.Trim(v.Reveal(), "23456789") != "" {
		t.Error(err)
	}
}
