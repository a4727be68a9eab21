package agentd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"gatehouse/agentd"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/team"
)

// TestPrompts: what a model reads before the first word of a conversation, with the schemas of all tools that its agent sees on a server
// that has them all and with every template in the team, stays within 6,000 tokens.
func TestPrompts(t *testing.T) {
	t.Parallel()
	folders := team.Folders{Dir: filepath.Join(t.TempDir(), "agents"), Library: team.Shipped()}
	ids, err := folders.Library.IDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		files, err := folders.Library.Files(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := folders.Prepare(id, files, files); err != nil {
			t.Fatal(err)
		}
		if err := folders.Put(id, id); err != nil {
			t.Fatal(err)
		}
	}
	crew, err := team.Load(folders.Dir, agentd.Definitions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	standing, err := os.ReadFile("runtime/standing.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range crew.Agents() {
		schemas, err := json.Marshal(crew.Tools(team.View{Agent: a.ID}))
		if err != nil {
			t.Fatal(err)
		}
		n := meter.Estimate(a.Prompt + string(standing) + string(schemas))
		t.Logf("%s: %d tokens, %d tools", a.ID, n, len(crew.Tools(team.View{Agent: a.ID})))
		if n > 6000 {
			t.Errorf("%s begins with %d tokens", a.ID, n)
		}
	}
}
