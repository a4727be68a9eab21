package envupdate

import (
	"fmt"
	"strings"

	"gatehouse/agentd/tools/envfile"
)

// diff is the change for people: secret values are not in it, those before as little as those after.
func diff(f *envfile.File, rel string, updates map[string]string) (text string, added, removed int) {
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", rel, rel)
	for _, k := range keys(updates) {
		was, ok := f.Get(k)
		if ok {
			fmt.Fprintf(&b, "-%s=%s\n", k, shown(k, was))
			removed++
		}
		fmt.Fprintf(&b, "+%s=%s\n", k, shown(k, updates[k]))
		added++
	}
	return b.String(), added, removed
}

func shown(key, value string) string {
	if strings.HasPrefix(value, "SECRET_REF(") || !envfile.Secret(key, value) {
		return value
	}
	return envfile.Hidden(value)
}
