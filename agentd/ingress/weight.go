package ingress

import (
	"slices"
	"strings"
)

// reach is how far apart, in words, two findings may stand and still add up.
const reach = 90

// heaviest finds the region that weighs most: each pattern counts once there, at its heaviest.
func heaviest(found []finding) (best float64, patterns []string) {
	for i := range found {
		near := between(found, found[i].at, found[i].at+reach)
		parts, sum := weighed(near[:min(len(near), 200)])
		if sum > best {
			best, patterns = sum, weighty(parts)
		}
	}
	return best, patterns
}

// weighed gives the heaviest finding of each pattern, by first place, and the sum of them.
func weighed(found []finding) (parts []finding, sum float64) {
	for _, f := range found {
		i := slices.IndexFunc(parts, func(p finding) bool { return p.pattern == f.pattern })
		switch {
		case i < 0:
			parts, sum = append(parts, f), sum+f.weight
		case f.weight > parts[i].weight:
			sum += f.weight - parts[i].weight
			parts[i] = f
		}
	}
	return parts, sum
}

// weighty names the patterns that carry a region.
func weighty(parts []finding) (names []string) {
	for _, p := range parts {
		if p.weight >= 0.3 {
			name, _, _ := strings.Cut(p.pattern, "#")
			names = append(names, name)
		}
	}
	return names
}
