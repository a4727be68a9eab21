package card

import (
	"strings"

	"gatehouse/agentd/wire"
)

// whole says whether a diff shows all that the call would change. The server says where it leaves something out, in place
// of a hunk: no line of a file begins so in a diff.
func whole(d *wire.Diff) bool {
	if d == nil {
		return false
	}
	hunks := 0
	for line := range strings.Lines(d.Unified) {
		switch {
		case strings.HasPrefix(line, "@@ -"):
			hunks++
		case strings.HasPrefix(line, "@@"):
			return false
		}
	}
	return hunks > 0
}
