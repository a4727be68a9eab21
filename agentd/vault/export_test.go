package vault

import (
	"context"
	"time"
)

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

// SettleAtOnce lets a service that was asked and did not answer have had its time already.
func (v *Vault) SettleAtOnce() { v.settleAfter = 0 }

// Wait lets time pass by the clock of the process, which nobody can set.
func (v *Vault) Wait(d time.Duration) {
	was := v.patience.clock
	v.patience.clock = func() time.Duration { return was() + d }
}

// Kept says how many of n versions stay when all but the last were given up so long ago and one more comes.
func Kept(n int, ago time.Duration) int {
	now := time.Now()
	r := &row{meta: meta{Current: n}}
	for i := range n {
		r.versions = append(r.versions, sealedVersion{n: i + 1})
		r.meta.Versions = append(r.meta.Versions, versionMeta{N: i + 1, FormerSince: now.Add(-ago)})
	}
	r.trim(now)
	return len(r.versions)
}

// Clip is clip.
func Clip(s string) string { return clip(s) }
