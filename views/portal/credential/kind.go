package credential

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// kinds are the kinds of secrets, as people call them.
func kinds(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "password", Label: i18n.T(ctx, "credential.kind.password")},
		{Value: "api_key", Label: i18n.T(ctx, "credential.kind.api_key")},
		{Value: "token", Label: i18n.T(ctx, "credential.kind.token")},
		{Value: "connection", Label: i18n.T(ctx, "credential.kind.connection")},
		{Value: "private_key", Label: i18n.T(ctx, "credential.kind.private_key")},
		{Value: "other", Label: i18n.T(ctx, "credential.kind.other")},
	}
}

// kindWord is a kind as people call it.
func kindWord(ctx context.Context, kind string) string {
	for _, o := range kinds(ctx) {
		if o.Value == kind {
			return o.Label
		}
	}
	return kind
}

func sourceWord(ctx context.Context, source string) string {
	switch source {
	case "provisioned":
		return i18n.T(ctx, "credential.source.provisioned")
	case "generated":
		return i18n.T(ctx, "credential.source.generated")
	case "owner":
		return i18n.T(ctx, "credential.source.owner")
	case "external":
		return i18n.T(ctx, "credential.source.external")
	}
	return source
}
