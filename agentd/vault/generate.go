package vault

import (
	"crypto/rand"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

const (
	defaultLength = 32
	minLength     = 8
	maxLength     = 256
	minBits       = 128 // below it, a value is made only where its constraints leave no other
)

// letters by class, those that are mistaken for each other apart.
var letters = map[string]struct{ plain, alike string }{
	"lower":  {"abcdefghijkmnpqrstuvwxyz", "lo"},
	"upper":  {"ABCDEFGHJKLMNPQRSTUVWXYZ", "IO"},
	"digit":  {"23456789", "01"},
	"symbol": {"!#%&()*+,-./:;<=>?@[]^_{}~", "|"},
}

var defaultClasses = []string{"lower", "upper", "digit"}

// Random makes a value by constraints, evenly out of all values that fit: each class that is asked for occurs. A
// length below what 128 bits need is refused, so that whatever asks for short values has to be given one by a person.
func Random(c wire.SecretConstraints) (secret.Value, error) {
	classes, length, err := plan(c)
	if err != nil {
		return secret.Value{}, err
	}
	var all strings.Builder
	for _, set := range classes {
		all.WriteString(set)
	}
	if bits := float64(length) * math.Log2(float64(all.Len())); bits < minBits {
		return secret.Value{}, fmt.Errorf("%w: %d characters of these classes are guessed too easily; take at least %d", ErrInvalid, length,
			int(math.Ceil(minBits/math.Log2(float64(all.Len())))))
	}
	for { // a value without one of its classes is thrown away whole, so that the others stay equally likely
		s, err := draw(all.String(), length)
		if err != nil {
			return secret.Value{}, err
		}
		if !slices.ContainsFunc(classes, func(set string) bool { return !strings.ContainsAny(s, set) }) {
			return secret.New(s), nil
		}
	}
}

// plan reads constraints.
func plan(c wire.SecretConstraints) (classes []string, length int, err error) {
	length = c.Length
	if length == 0 {
		length = defaultLength
	}
	if length < minLength || length > maxLength {
		return nil, 0, fmt.Errorf("%w: a length is %d to %d", ErrInvalid, minLength, maxLength)
	}
	names := c.Classes
	if len(names) == 0 {
		names = defaultClasses
	}
	for _, n := range slices.Compact(slices.Sorted(slices.Values(names))) {
		set, ok := letters[n]
		if !ok {
			return nil, 0, fmt.Errorf("%w: classes are lower, upper, digit and symbol", ErrInvalid)
		}
		if c.Ambiguous {
			set.plain += set.alike
		}
		classes = append(classes, set.plain)
	}
	return classes, length, nil
}

// draw takes letters evenly.
func draw(from string, n int) (string, error) {
	out := make([]byte, n)
	for i := range out {
		k, err := rand.Int(rand.Reader, big.NewInt(int64(len(from))))
		if err != nil {
			return "", fmt.Errorf("make value: %w", err)
		}
		out[i] = from[k.Int64()]
	}
	return string(out), nil
}
