package envupdate

import (
	"strings"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/envfile"
)

// noMarks refuses values in which a secret stands as the model was shown it: they would take the place of the secret.
func noMarks(f *envfile.File, rel string, updates map[string]string) error {
	for _, k := range keys(updates) {
		was, _ := f.Get(k)
		if updates[k] == was {
			continue
		}
		mark := redact.Shown(was, updates[k])
		if mark == "" && hidden(updates[k]) {
			mark = updates[k]
		}
		if mark != "" {
			return tool.Refuse("The value for %s holds %s. That stands for a value that you were not shown, and setting it would destroy the value in %s. "+
				"Nothing was changed. Leave %s out of the updates to keep it, or give a secret of the vault as SECRET_REF(name).", k, mark, rel, k)
		}
	}
	return nil
}

// hidden says whether a value is one in place of which env_read tells its length.
func hidden(value string) bool {
	return strings.HasPrefix(value, "(hidden, ") && strings.HasSuffix(value, " characters)")
}
