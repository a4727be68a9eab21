package inbox

import (
	"cmp"
	"context"

	"gatehouse/app/approval"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"
)

// typedBefore is the draft that changes of it begin with: what is asked, or what the person made of it before, when their server
// could not carry that out, and why it could not. An argument that the request does not have has no field to stand in.
func typedBefore(ctx context.Context, it approval.Item) (draft, map[string]string) {
	d := draftOf(it.Args)
	if len(it.Typed) == 0 {
		return d, nil
	}
	before := map[string]card.Arg{}
	for _, arg := range card.Parse(it.Typed) {
		before[arg.Name] = arg
	}
	for i := range d {
		if was, ok := before[d[i].Name]; ok && was.Kind == d[i].Kind {
			d[i].Text = was.Text
		}
	}
	why := card.Sentence(cmp.Or(it.Refused, it.In(i18n.LocaleOf(ctx)).WhyAsked))
	return d, map[string]string{"": i18n.T(ctx, "inbox.typed.problem", "why", why)}
}
