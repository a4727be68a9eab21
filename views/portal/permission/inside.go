package permission

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
)

// InsideProps is who counts as inside the business, and what is about to be added.
type InsideProps struct {
	Sync     portal.SyncProps
	Rows     []InsideRow
	Address  string // as it was typed
	Adds     string // the address as it would count, to be signed; empty: none
	Body     string // JSON of Adds
	Problem  string // with Address
	Refused  string // why nothing was changed
	Unsigned bool   // for want of a signature
	Away     bool   // the server cannot say who counts
}

// InsideRow is one address.
type InsideRow struct {
	Address string
	Counts  bool // the server takes it as inside
	Set     bool // it is to count
	Added   bool // by the owner, who may remove it
}

// insideKind and insideWord are how an address stands; without the server nobody knows.
func insideKind(p InsideProps, r InsideRow) string {
	switch {
	case p.Away:
		return "off"
	case r.Counts && r.Set:
		return "ok"
	case r.Counts || r.Added && p.Sync.Waiting && p.Sync.Error == "":
		return "busy"
	}
	return "warn"
}

func insideWord(ctx context.Context, p InsideProps, r InsideRow) string {
	switch insideKind(p, r) {
	case "off":
		return i18n.T(ctx, "permission.inside_unknown")
	case "ok":
		return i18n.T(ctx, "permission.inside_counts")
	case "busy":
		if r.Counts {
			return i18n.T(ctx, "permission.inside_leaving")
		}
		return i18n.T(ctx, "permission.inside_coming")
	}
	return i18n.T(ctx, "permission.inside_unsigned")
}
