package policy_test

import (
	"slices"
	"testing"

	"gatehouse/agentd/policy"
)

// TestSQL_tiers: whatever a name is that stands where Postgres takes it for a column or for a function, the query has a
// tier that exists, and so has the command that asks it.
func TestSQL_tiers(t *testing.T) {
	t.Parallel()
	names := []string{
		"lo_price", "lo_import", "lo_creat", "pg_sleep", "pg_cancel_backend", "pg_version", "dblink", "dblink_connect_u", "dblinks", "load_extension", "city", "nextval", "upper",
	}
	for _, n := range names {
		for _, query := range []string{"SELECT (o)." + n + " FROM o", "SELECT (t.c)." + n + " FROM t", "SELECT (a[1])." + n + " FROM t", "SELECT " + n + "(1)", "SELECT o." + n + " FROM o"} {
			for _, engine := range []string{"", "postgres", "mysql", "sqlite"} {
				if c := policy.SQL(policy.SQLArgs{Query: query, Engine: engine}); !slices.Contains(allTiers, c.Tier) {
					t.Errorf("%s %s: %+v", engine, query, c)
				}
			}
			asked, run := policy.SQL(policy.SQLArgs{Query: query, Engine: "postgres"}), policy.Argv([]string{"psql", "-c", query}, env).Class
			if run.Tier != asked.Tier {
				t.Errorf("%s is %q as a query and %q by psql", query, asked.Tier, run.Tier)
			}
		}
	}
}
