package vault

import "context"

// ValueOf opens one version for tests; 0 is the current one.
func (v *Vault) ValueOf(name string, n int) (string, error) {
	s, r, err := v.current(context.Background(), name)
	if err != nil {
		return "", err
	}
	if n == 0 {
		n = r.meta.Current
	}
	val, err := s.value(r, n)
	return val.Reveal(), err
}

// Parse reads a file of credentials for tests: names and values in their order.
func Parse(raw []byte) (names, values []string, err error) {
	all, err := parseEnv(raw)
	for _, p := range all {
		names, values = append(names, p.name), append(values, p.value.Reveal())
	}
	return names, values, err
}

// Seal and Unseal are what every value goes through.
var (
	Seal   = seal
	Unseal = open
)
