package policy_test

import (
	"os"
	"regexp"
	"testing"

	"gatehouse/agentd/policy"
)

// TestDocumented: the rules that people are shown as an example are rules.
func TestDocumented(t *testing.T) {
	t.Parallel()
	for file, block := range map[string]string{
		"../../docs/PERMISSIONS.md":                   "(?s)```yaml\n(.*?)```",
		"../../views/portal/permission/permission.go": "(?s)const exampleRules = `(.*?)`",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all := regexp.MustCompile(block).FindAllSubmatch(text, -1)
		if len(all) == 0 {
			t.Errorf("%s holds no example", file)
		}
		for _, m := range all {
			rules, err := policy.ParseManifest(m[1])
			if err != nil || len(rules.Rules) == 0 {
				t.Errorf("the example of %s: %v", file, err)
			}
		}
	}
}
