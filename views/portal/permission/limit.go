package permission

import (
	"context"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

var budgets = map[string]i18n.Key{
	"deletes": "permission.budget_deletes", "changes": "permission.budget_changes", "files": "permission.budget_files",
	"bytes": "permission.budget_bytes", "recipients": "permission.budget_recipients", "money": "permission.budget_money",
}

// Budget is how much of something one run may do before a person looks.
func Budget(ctx context.Context, name string, most int64) ui.Pair {
	p := ui.Pair{Name: name, Value: ui.Count(ctx, most)}
	if key, ok := budgets[name]; ok {
		p.Name = i18n.T(ctx, key)
	}
	switch name {
	case "bytes":
		p.Value = ui.Bytes(ctx, most)
	case "money":
		p.Value = i18n.Amount(ctx, most)
	}
	return p
}

// Rate is how often an agent may use a tool of a tier; often reads "600/1m0s".
func Rate(ctx context.Context, tier, often string) ui.Pair {
	p := ui.Pair{Name: i18n.T(ctx, "permission.limit_rate", "tier", ui.TierWord(ctx, tier)), Value: often}
	n, per, _ := strings.Cut(often, "/")
	if d, err := time.ParseDuration(per); err == nil {
		p.Value = i18n.T(ctx, "permission.limit_often", "n", n, "time", ui.Duration(ctx, d))
	}
	return p
}
