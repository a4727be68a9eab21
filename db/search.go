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
const folded = ` COLLATE "und-x-icu" ILIKE ?`

// searched narrows q to rows that contain what is looked for: one of the columns, or their customer's name, a person's
// e-mail or the name of a server that was ordered. The customer is joined as c.
func searched(q *bun.SelectQuery, ask page.Ask, columns ...string) *bun.SelectQuery {
	if ask.Search == "" {
		return q
	}
	text := containing(ask.Search)
	return q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		for _, column := range append(columns, "c.name") {
			q = q.WhereOr("?::text"+folded, bun.Ident(column), text)
		}
		return q.WhereOr("EXISTS (SELECT FROM users AS u WHERE u.customer_id = c.id AND u.email"+folded+")", text).
			WhereOr("EXISTS (SELECT FROM orders AS known WHERE known.customer_id = c.id AND known.slug"+folded+")", text)
	})
}
