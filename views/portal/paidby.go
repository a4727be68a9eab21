package portal

import (
	"context"

	"gatehouse/views/i18n"
)

// KeyWord says whose key paid the provider of a model.
func KeyWord(ctx context.Context, key string) string {
	switch key {
	case "own":
		return i18n.T(ctx, "usage.key_own")
	case "local":
		return i18n.T(ctx, "usage.key_local")
	}
	return i18n.T(ctx, "usage.key_house")
}
