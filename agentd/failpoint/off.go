//go:build !failpoint

package failpoint

// On says whether this binary was built with fail points.
const On = false

// Hit marks a point.
func Hit(string) {}
