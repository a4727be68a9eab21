package firsttask

import (
	"context"

	"gatehouse/app/welcome"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	words "gatehouse/views/welcome"
)

// Props are tasks as a page shows them to the reader of ctx.
func Props(ctx context.Context, of welcome.State, items []welcome.Item) words.Props {
	out := words.Props{Kind: i18n.Pick(ctx, of.Business().Name), Known: welcome.KnownKind(of.Kind)}
	for _, i := range items {
		out.Items = append(out.Items, words.Item{
			Task: string(i.Task), Agent: i.Agent, Title: i18n.Pick(ctx, i.Title), Hint: i18n.Pick(ctx, i.Hint),
			Text: i18n.Pick(ctx, i.Text), When: i18n.Pick(ctx, i.When), Done: i.Done,
		})
	}
	return out
}

// Kinds are the kinds of business to choose from.
func Kinds(ctx context.Context) []ui.Option {
	var all []ui.Option
	for _, k := range welcome.Kinds() {
		all = append(all, ui.Option{Value: k.ID, Label: i18n.Pick(ctx, k.Name)})
	}
	return all
}

// KindName is how a kind of business is called; what is none of those on offer stands as it was told.
func KindName(ctx context.Context, kind string) string {
	if !welcome.KnownKind(kind) {
		return kind
	}
	return i18n.Pick(ctx, welcome.KindOf(kind).Name)
}
