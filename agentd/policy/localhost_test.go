package policy_test

import (
	"testing"

	"gatehouse/agentd/policy"
)

// TestShell_databasesElsewhere: a name of a host is looked up wherever it leads, and tells what it spells.
func TestShell_databasesElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []string{
		"pg_isready -h evil", "pg_isready -h evil -p 53", "pg_isready -q -h evil", "pg_isready -h localhost,evil", "pg_isready -hevil", "pg_isready --host evil", "pg_isready --host=evil", "pg_isready evil", "pg_isready -p 53 -h evil", "pg_isready -h", "nice pg_isready -h evil",
		"pg_isready -U -h evil", "pg_isready -d evil -h db-1", "pg_isready -h localhost -h evil", "pg_isready -h /tmp", "x=evil; pg_isready -h $x",
		"psql -hevil -c 'select 1'", "psql -dhost=evil -c 'select 1'", "psql -Ahevil -c 'select 1'", "psql -h=evil -c 'select 1'", "psql -Uhost=evil -c 'select 1'", "psql -c 'select 1' -hevil", "mysql -hevil -e 'select 1'", "mariadb -hevil -e 'select 1'",
		"redis-cli -hevil ping", "redis-cli -h evil ping",
	} {
		if got := policy.Shell(c, env); got.Tier.Rank() < policy.Red.Rank() {
			t.Errorf("%q is %s", c, got.Tier)
		}
	}
	for _, c := range []string{
		"pg_isready", "pg_isready -h localhost", "pg_isready -h localhost -p 5432", "pg_isready -h 127.0.0.1 -q", "pg_isready -h ::1", "pg_isready --host=localhost", "pg_isready --host localhost", "pg_isready -h /var/run/postgresql -U app", "pg_isready -d shop -U app", "pg_isready -hlocalhost",
		"psql -hlocalhost -Uapp -dshop -c 'select 1'", "psql -h localhost -p5432 -c 'select 1'", "mysql -hlocalhost -uapp shop -e 'select 1'", "redis-cli -h localhost ping",
	} {
		if got := policy.Shell(c, env); got.Tier != policy.Green {
			t.Errorf("%q is %s: %s", c, got.Tier, got.Why)
		}
	}
}
