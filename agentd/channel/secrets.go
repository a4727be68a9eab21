package channel

import (
	"encoding/json"
	"strings"

	"gatehouse/agentd/vault/secret"
)

// errSecrets answers a form of several secrets of which some are missing or that no page of ours has sealed.
var errSecrets = badRequest("One of the fields that are kept secret is missing. Nothing was saved.")

// Fields opens the value of a kind that has several secrets (Kind.Secrets): an object of texts, which a browser has sealed as one. What is
// no such object has no fields.
func Fields(v secret.Value) map[string]secret.Value {
	all := map[string]string{}
	if json.Unmarshal([]byte(v.Reveal()), &all) != nil {
		return nil
	}
	fields := map[string]secret.Value{}
	for name, text := range all {
		if text = strings.TrimSpace(text); text != "" {
			fields[name] = secret.New(text)
		}
	}
	return fields
}

// joined is the value of several secrets of which a person has typed some; the others stay as they were in former.
func joined(names []string, former, typed secret.Value) (secret.Value, error) {
	was, is := Fields(former), Fields(typed)
	all := map[string]string{}
	for _, name := range names {
		v := is[name]
		if v.Empty() {
			v = was[name]
		}
		if v.Empty() {
			return secret.Value{}, errSecrets
		}
		all[name] = v.Reveal()
		delete(is, name)
	}
	raw, err := json.Marshal(all)
	if err != nil || len(is) > 0 {
		return secret.Value{}, errSecrets
	}
	return secret.New(string(raw)), nil
}
