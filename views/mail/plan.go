package mail

import (
	"context"
	"time"

	"gatehouse/views/i18n"
)

// Plan is what a letter about a plan says of it. Times are in the reader's zone.
type Plan struct {
	Name    string
	Monthly int64     // cents a month, before tax
	From    time.Time // since when it holds
	Ends    time.Time // when it is, or was to be, over
	Erased  time.Time // when the server is deleted then
}

// planWords are those of such a letter.
func planWords(ctx context.Context, p Props, w text) text {
	of := func(part string) string {
		return i18n.T(ctx, i18n.Key("mail."+string(p.Kind)+"."+part), "plan", p.Plan.Name, "price", i18n.Euros(ctx, p.Plan.Monthly),
			"from", i18n.Date(ctx, p.Plan.From), "ends", i18n.Date(ctx, p.Plan.Ends), "erased", i18n.Date(ctx, p.Plan.Erased))
	}
	w.Subject, w.Title, w.Text, w.Button, w.Small = of("subject"), of("title"), of("text"), of("button"), of("small")
	return w
}
