package public

import (
	"context"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// ErrorProps is a request that failed as a whole.
type ErrorProps struct {
	Status    int
	Text      string // what happened, what was kept, what to do
	RequestID string
	Retry     string // address to try again; empty when that cannot help
}

// Error is its page.
func Error(ctx context.Context, p ErrorProps) templ.Component {
	home, word := homeOf(ui.Of(ctx).Path)
	f := layout.Failure{
		Status: p.Status, Title: errorTitle(ctx, p.Status), Text: p.Text, RequestID: p.RequestID,
		Home: home, HomeLabel: i18n.T(ctx, word), Retry: p.Retry,
	}
	return layout.ErrorPage(f)
}

// titled are the statuses that have a title of their own.
var titled = map[int]bool{
	400: true, 401: true, 403: true, 404: true, 405: true, 409: true, 410: true, 413: true, 422: true, 429: true, 500: true, 503: true,
}

func errorTitle(ctx context.Context, status int) string {
	if !titled[status] {
		return i18n.T(ctx, "public.error.other")
	}
	return i18n.T(ctx, i18n.Key("public.error."+strconv.Itoa(status)))
}

// homeOf is where a reader of path goes on.
func homeOf(path string) (string, i18n.Key) {
	switch {
	case path == PortalPath || strings.HasPrefix(path, PortalPath+"/"):
		return PortalPath, "public.error.portal"
	case path == StaffPath || strings.HasPrefix(path, StaffPath+"/"):
		return StaffPath, "public.error.console"
	}
	return HomePath, "public.error.home"
}
