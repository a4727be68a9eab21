package db

import (
	"strings"

	"github.com/uptrace/bun"

	"gatehouse/app/page"
)

// wild takes the wildcards of LIKE by their letter.
var wild = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// containing is the pattern of what contains text.
func containing(text string) string { return "%" + wild.Replace(text) + "%" }

// folded compares regardless of case in every script, whatever locale the database was made with.
const folded = `::text COLLATE "und-x-icu" ILIKE `

// found is the condition on rows where something fits the pattern that stands at place: one of the columns, or their
// customer's name, a person's e-mail or the name of a server that was ordered. The customer is joined as c.
func found(place string, columns ...string) string {
	fits := folded + place
	return "(" + strings.Join(append(columns, "c.name"), fits+" OR ") + fits +
		" OR EXISTS (SELECT FROM users AS u WHERE u.customer_id = c.id AND u.email" + fits + ")" +
		" OR EXISTS (SELECT FROM orders AS known WHERE known.customer_id = c.id AND known.slug" + fits + "))"
}

// searched narrows q to rows that contain what is looked for.
func searched(q *bun.SelectQuery, ask page.Ask, columns ...string) *bun.SelectQuery {
	if ask.Search == "" {
		return q
	}
	return q.Where(found("?0", columns...), containing(ask.Search))
}
