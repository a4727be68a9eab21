package db

import (
	"context"
	"regexp"
	"strings"

	"gatehouse/app/replay"
)

// First is what a repeat finds, for tests.
func (s *Idempotency) First(ctx context.Context, principal, key string, hash []byte) (*replay.Answer, error) {
	return s.first(ctx, &idempotencyRow{Principal: principal, Key: key}, hash)
}

// SQLState is the SQLSTATE in err, for tests.
var SQLState = sqlState

// MigrateFiles is Migrate with other files, for tests.
var MigrateFiles = migrate

// KnownParts gives, for tests, the columns of each table that are told to its customer, and those that are not.
func KnownParts() (told, kept map[string][]string) {
	told, kept = map[string][]string{}, map[string][]string{}
	for _, p := range knownParts {
		for _, w := range p.words {
			told[p.table] = append(told[p.table], w.column)
		}
		kept[p.table] = strings.Fields(p.without)
	}
	return told, kept
}

// KnownLeft are, for tests, the tables that are left out, and why.
func KnownLeft() map[string]string { return knownLeft }

// Endings are, for tests, what becomes of each table when its customer is erased.
func Endings() map[string]string {
	all := map[string]string{}
	for _, e := range endings {
		all[e.table] = string(e.fate)
	}
	return all
}

// Blanked are, for tests, the columns that an erasure writes, by their table.
func Blanked() map[string][]string {
	all := map[string][]string{}
	for _, e := range endings {
		for _, m := range setColumn.FindAllStringSubmatch(e.set, -1) {
			all[e.table] = append(all[e.table], m[1])
		}
	}
	return all
}

var setColumn = regexp.MustCompile(`(?:^|, )(\w+) = `)

// WhoseRows is, for tests, which rows of a table t are a customer's; each ? is the customer.
func WhoseRows(table string) string {
	for _, e := range endings {
		if e.table == table {
			return e.whose()
		}
	}
	return ""
}
