package vault

import "context"

// ValueOf opens one version for tests.
func (v *Vault) ValueOf(name string, n int) (string, error) {
	s, r, err := v.current(context.Background(), name)
	if err != nil {
		return "", err
	}
	val, err := s.value(r, n)
	return val.Reveal(), err
}
