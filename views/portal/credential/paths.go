package credential

import (
	"net/url"

	"gatehouse/views/portal"
)

// The pages and forms about secrets.
const (
	OpenPath     = "/app/credentials/open"
	GeneratePath = "/app/credentials/generate"
	DeclinePath  = "/app/credentials/decline"
	SharePath    = "/app/credentials/share"
)

// OnePath is one secret.
func OnePath(name string) string { return portal.Credentials + "/" + url.PathEscape(name) }
